"""The command `pulse`: parses, calls one command, and turns errors into a line on stderr and an exit code.

Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted. `pulse status` has its own: 0 healthy, 1 degraded, 2 down.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from typing import NoReturn, TextIO

COMMANDS = {
    "init": "set a pulse up: ask what its plugins need to know, write pulse.toml, start everything once",
    "status": "show how each plugin and each of its layers fares, and why",
    "replay": "drive a recorded session through the plugins, as a host would",
}


def entry(argv: Sequence[str] | None = None) -> NoReturn:
    """The process ends with the command's exit code."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: Sequence[str]) -> int:
    """What the command came to, as its exit code. `--help` and wrong usage raise SystemExit, as argparse does."""
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    arguments = _parser(argv).parse_args(argv)
    out = sys.stdout
    try:
        with redirect_stdout(sys.stderr):  # so that a plugin which prints does not spoil the answer
            code = _command(arguments, out)
        out.flush()
    except BrokenPipeError:  # whoever read the answer has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return 1
    except OSError as error:
        print(f"pulse {arguments.command}: {error}", file=sys.stderr)
        return 2 if arguments.command == "status" else 1
    except KeyboardInterrupt:
        print("\npulse: interrupted", file=sys.stderr)
        return 130
    return code


def _command(arguments: argparse.Namespace, out: TextIO) -> int:
    from pulse_host.errors import HostError

    try:
        code: int = import_module(f"pulse_host.{arguments.command}").run(arguments, out)
    except HostError as error:
        print(f"pulse {arguments.command}: {error}", file=sys.stderr)
        return error.exit_code
    return code


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the arguments of the one command that `argv` names."""
    parser = argparse.ArgumentParser(
        prog="pulse", description="A host for agents: it finds its plugins by entry point, and one of them remembers."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.")
        if name in argv:
            import_module(f"pulse_host.{name}").add_arguments(command)
    return parser
