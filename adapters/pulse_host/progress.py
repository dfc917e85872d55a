"""How far a long command is: a bar on a terminal with rich, now and then a plain line elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from pulse_host import show

_EVERY = 500  # messages between two plain lines


class Progress(Protocol):
    """Where to report to."""

    def read(self, messages: int, tokens: int) -> None:
        """So much was read in all."""

    def say(self, event: str) -> None:
        """Something worth a line happened."""


class _Plain:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def read(self, messages: int, tokens: int) -> None:
        if messages % _EVERY == 0:
            self.say(f"{messages} messages read, about {tokens} tokens")

    def say(self, event: str) -> None:
        print(event, file=self._stream, flush=True)


@contextmanager
def progress_on(stream: TextIO) -> Iterator[Progress]:
    """Progress appears on `stream` until the block ends."""
    if not show.is_painted(stream):
        yield _Plain(stream)
        return

    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("reading", total=None)  # a stream does not say how long it will be

        class Painted:
            def read(self, messages: int, tokens: int) -> None:
                bar.update(task, description=f"{messages} messages read, about {tokens} tokens")

            def say(self, event: str) -> None:
                bar.console.print(event, markup=False, highlight=False)

        yield Painted()
