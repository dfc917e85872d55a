"""`recall init`."""

from __future__ import annotations

import argparse
from pathlib import Path

from recall_plugin.cli.door import Command, Context
from recall_plugin.errors import UsageError
from recall_plugin.files import roots
from recall_plugin.memory import setup

_DETAILS = """\
Makes ROOT/memory with its folders and a MEMORY.md, and registers ROOT as the one that commands use when none is named.
ROOT is, where it is not given, the root that is named or registered already, else the current folder. Nothing that
stands there is changed, except that ARCHIVE.md and EPHEMERAL.md are made again from the conversations where they are
damaged. A root registered before stays registered unless --replace is said.

  recall init ~/agents/nia
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("root", nargs="?", metavar="ROOT", help="the folder that is to hold memory/")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--replace", action="store_true", help="register ROOT even if another root is registered")
    choice.add_argument("--no-register", action="store_true", help="register nothing; name the root at each call")


def _run(context: Context, options: argparse.Namespace) -> int:
    root = _root(context, options)
    made = setup.make_memory(root)
    for part in made.created:
        print(f"created   {root / part}")
    for what in made.repaired:
        print(f"repaired  {what}")
    if not made.created and not made.repaired:
        print(f"complete  {made.layout.memory}")
    if options.no_register:
        print(f"use it    recall --pulse-root {root} …")
        return 0
    registration = setup.register(root, context.environment, replace=options.replace)
    if registration.kept:
        print(f"kept      {registration.registered} stays the registered root; --replace would change that")
    else:
        print(f"root      {root} is registered")
    return 0


def _root(context: Context, options: argparse.Namespace) -> Path:
    if options.root is not None and context.pulse_root is not None:
        raise UsageError("the root is given twice, as ROOT and as --pulse-root", hint="give it once")
    if options.root == "":
        raise UsageError("ROOT names no path")
    named = roots.named(options.root if options.root is not None else context.pulse_root, context.environment)
    return named.path if named is not None else Path.cwd()


COMMAND = Command("Make a memory, and register its root.", _run, _DETAILS, _configure)
