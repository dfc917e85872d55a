"""Runs one scenario again and again, killed before each of its calls to the system in turn.

`crash_everywhere.py FOLDER`: FOLDER/base is the memory to begin with; FOLDER/1, FOLDER/2, … are the same after a death
at the first, second, … call. Writes are done by half before the death. Prints how many deaths there were.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from journal_events import NOW, event

from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal import Journal

CALLS = ["open", "pwrite", "fsync", "ftruncate", "mkdir", "link", "replace", "rename", "unlink"]


def die_at(fatal: int) -> None:
    calls = itertools.count(1)

    def wrapped(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def calling(*arguments: object, **keywords: object) -> object:
            if next(calls) == fatal:
                if name == "pwrite":
                    descriptor, data, offset = arguments
                    assert isinstance(data, bytes | memoryview)
                    call(descriptor, data[: len(data) // 2], offset)
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **keywords)

        return calling

    for name in CALLS:
        setattr(os, name, wrapped(name, getattr(os, name)))


def scenario(folder: Path) -> None:
    journal = Journal(Layout(folder))
    december = NOW + timedelta(days=1)
    journal.recover()
    journal.append([event("c1"), event("c2"), event("c3")], now=december)
    journal.spool([event("d1"), event("d2")], now=december)
    journal.note([event("e1")], now=december)


def main(folder: Path) -> None:
    for fatal in itertools.count(1):
        copy = folder / str(fatal)
        shutil.copytree(folder / "base", copy)
        child = os.fork()
        if child == 0:
            die_at(fatal)
            scenario(copy)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            print(fatal - 1 if status == 0 else -1)
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
