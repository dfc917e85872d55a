"""How things are put on the screen: plain lines anywhere, colours on a terminal where rich is installed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TextIO

from pulse_hookspecs import Degraded, Down, Health, Healthy

EXIT_CODES = {"healthy": 0, "degraded": 1, "down": 2}
_COLOURS = {"healthy": "green", "degraded": "yellow", "down": "bold red"}


@dataclass(frozen=True)
class Row:
    """One line of a health report. depth: 0 for a plugin, 1 for its layers, 2 for theirs."""

    depth: int
    name: str
    state: str
    text: str


def printable(text: str) -> str:
    """`text` in one line, without anything that a terminal would obey."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def is_painted(stream: TextIO) -> bool:
    """Whether rich may paint on `stream`."""
    return stream.isatty() and find_spec("rich") is not None


def as_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def reasons(health: Health) -> tuple[str, ...]:
    match health:
        case Healthy():
            return ()
        case Degraded(reasons=several):
            return several
        case Down(reason=reason):
            return (reason,)


def rows(name: str, health: Health, detail: str = "", depth: int = 0) -> Iterable[Row]:
    """The line of `name` and those of its layers, each with its reasons."""
    text = "; ".join(part for part in (detail, *reasons(health)) if part)
    yield Row(depth, printable(name), health.state, printable(text))
    for layer in health.layers:
        yield from rows(layer.name, layer.health, layer.detail, depth + 1)


def table(lines: Iterable[Row], out: TextIO) -> None:
    """The rows are on `out`, in columns."""
    lines = list(lines)
    if is_painted(out):
        _painted(lines, out)
        return
    names = [f"{'  ' * line.depth}{line.name}" for line in lines]
    wide = max(map(len, names), default=0)
    for name, line in zip(names, lines, strict=True):
        print(f"{name:<{wide}}  {line.state:<8}  {line.text}".rstrip(), file=out)


def _painted(lines: list[Row], out: TextIO) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for line in lines:
        name = Text(f"{'  ' * line.depth}{line.name}", style="" if line.depth else "bold")
        grid.add_row(name, Text(line.state, style=_COLOURS[line.state]), Text(line.text))
    Console(file=out).print(grid)
