"""What every command has in common."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from recall_plugin.domain.layout import Layout
from recall_plugin.files import roots
from recall_plugin.files.roots import Root


@dataclass(frozen=True, slots=True)
class Context:
    """What a command is told beside its own arguments. pulse_root: the option, None where it was not given."""

    pulse_root: str | None
    environment: Mapping[str, str]

    def root(self) -> Root:
        """The pulse root, which holds a memory. Raises NotInitialised, UsageError, LayoutError."""
        return roots.resolve(self.pulse_root, self.environment)

    def layout(self) -> Layout:
        """The layout of the pulse root. Raises as `root`."""
        return self.root().layout


@dataclass(frozen=True, slots=True)
class Command:
    """A command: how it is called, and what it does.

    run: gets the context and the parsed arguments, returns the exit code, raises RecallError.
    is_hook: whether a session event calls it; it then exits 0 even when it failed, and says so on stderr (law 8).
    """

    summary: str
    run: Callable[[Context, argparse.Namespace], int]
    details: str = ""
    configure: Callable[[argparse.ArgumentParser], None] = field(default=lambda parser: None)
    is_hook: bool = False

    def parser(self, name: str) -> argparse.ArgumentParser:
        """The parser of the command's arguments."""
        parser = argparse.ArgumentParser(
            prog=f"recall {name}",
            description=self.summary,
            epilog=self.details,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.configure(parser)
        parser.add_argument(
            "--pulse-root",
            "--entity-root",
            metavar="ROOT",
            default=None,
            help="the root to work on (--entity-root is its older name)",
        )
        return parser


def utf8_streams() -> None:
    """Whatever the locale says, output is UTF-8, and what cannot be written is escaped rather than raised."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def on_terminal() -> bool:
    """Whether a person reads stdout."""
    return isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty()


def for_a_person(environment: Mapping[str, str]) -> bool:
    """Whether a person reads stdout: it is a terminal, and nothing says that an agent holds it.

    Whoever else reads it is given recalled text in a fence.
    """
    if not on_terminal():
        return False
    from recall_plugin.cli.actor import find_actor

    return find_actor(environment).is_person


def tell(text: str) -> None:
    """A line for the person, on stderr: stdout belongs to the answer."""
    if sys.stderr is not None:  # closed: `print` would fall back to stdout
        print(text, file=sys.stderr)


def print_json(value: object) -> None:
    """`value` as indented JSON on stdout."""
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))
