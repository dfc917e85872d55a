"""Where the memory is: one rule for everyone who asks.

The option on the command line, then RECALL_PULSE_ROOT, then the root registered in the user's config folder. The
current
folder is never taken for a root because of what it holds: a stranger's checkout may hold anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import LayoutError, NotInitialised, UsageError, WriteFailed
from recall_plugin.files.atomic import make_folder, write_atomic
from recall_plugin.files.trusted import read_trusted

ROOT_VARIABLE = "RECALL_PULSE_ROOT"
_FOLDER = "recall-echo"
_REGISTERED = "pulse-root"
# Its name before 4.6.0, read while no `pulse-root` stands beside it.
_REGISTERED_BEFORE = "entity-root"


@dataclass(frozen=True, slots=True)
class Root:
    """A pulse root and who named it. source: "option", "environment" or "registered"."""

    path: Path
    source: str

    @property
    def layout(self) -> Layout:
        return Layout(self.path)


def config_folder(environment: Mapping[str, str]) -> Path:
    """The user's config folder for recall; it need not exist. Raises UsageError where no home is known."""
    base = environment.get("XDG_CONFIG_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / _FOLDER
    try:
        home = Path(environment["HOME"]) if environment.get("HOME") else Path.home()
    except RuntimeError:
        raise UsageError("no home folder is known", hint="name the root with --pulse-root") from None
    return home / ".config" / _FOLDER


def registered(environment: Mapping[str, str]) -> Path | None:
    """The registered root, None where there is none. Raises LayoutError for a file that others could have written."""
    folder = config_folder(environment)
    for name in (_REGISTERED, _REGISTERED_BEFORE):
        file = folder / name
        content = read_trusted(file)
        if content is None:
            continue
        text = content.strip("\n ")
        if not Path(text).is_absolute() or "\n" in text or "\0" in text:
            raise LayoutError(file, "does not hold one absolute path", hint="run `recall init ROOT --replace`")
        return Path(text)
    return None


def register(root: Path, environment: Mapping[str, str]) -> None:
    """`root` is the registered one from now on. Raises WriteFailed."""
    folder = config_folder(environment)
    make_folder(folder)
    write_atomic(folder / _REGISTERED, f"{root}\n".encode())


def resolve(option: str | None, environment: Mapping[str, str]) -> Root:
    """The pulse root, which holds a memory. Raises NotInitialised where there is none, or none in it."""
    root = named(option, environment)
    if root is None:
        raise NotInitialised(
            f"no pulse root is known{_beside_a_memory()}",
            hint="run `recall init ROOT`, or name one with --pulse-root or " + ROOT_VARIABLE,
        )
    if not root.layout.memory.is_dir():
        problem = "is a file" if root.layout.memory.exists() else "does not exist"
        raise NotInitialised(
            f"{root.path} is no pulse root: {root.layout.memory} {problem}{_beside_a_memory(root.path)}",
            hint=f"run `recall init {root.path}`, or name another one with --pulse-root",
        )
    return root


def named(option: str | None, environment: Mapping[str, str]) -> Root | None:
    """The pulse root that somebody named, whether or not it exists. Raises UsageError for a name that is no path."""
    if option is not None:
        return Root(_absolute(option, "--pulse-root"), "option")
    if variable := environment.get(ROOT_VARIABLE):
        if not Path(variable).expanduser().is_absolute():
            raise UsageError(f"{ROOT_VARIABLE} is not an absolute path: {variable}")
        return Root(_absolute(variable, ROOT_VARIABLE), "environment")
    known = registered(environment)
    return Root(known, "registered") if known is not None else None


def _absolute(text: str, who: str) -> Path:
    if not text or "\0" in text:
        raise UsageError(f"{who} names no path")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{who} is not UTF-8", hint="name a folder whose path is") from None
    try:
        return Path(os.path.abspath(Path(text).expanduser()))  # noqa: PTH100 (resolve() would follow links)
    except RuntimeError:
        raise UsageError(f"{who}: no such user in {text}") from None


def _beside_a_memory(root: Path | None = None) -> str:
    """Says why a memory in the current folder is not used."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return ""
    if here != root and (here / "memory").is_dir():
        return f" ({here} holds a memory/, but is not a registered root)"
    return ""


def check_writable(path: Path) -> None:
    """`path`, a folder, can be written. Raises WriteFailed."""
    if not os.access(path, os.W_OK | os.X_OK):
        raise WriteFailed(path, "permission denied", hint=f"make the folder writable for you: chmod u+rwx {path}")
