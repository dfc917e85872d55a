"""The folder of archives: which there are, and what each holds."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

from recall_plugin.domain.layout import Layout, conversation_number
from recall_plugin.errors import LayoutError
from recall_plugin.files.archive_format import Archive, ArchiveReader, Head
from recall_plugin.files.atomic import open_regular

_HEAD_BYTES = _TAIL_BYTES = 1 << 14
_MARK_LINE = b'\nmark: "'
_END = b' {"end":'


def numbers(layout: Layout) -> list[int]:
    """The numbers of all archives, ascending; empty where the folder is missing. Raises LayoutError."""
    try:
        with os.scandir(layout.conversations) as entries:
            found = (conversation_number(entry.name) for entry in entries)
            return sorted(number for number in found if number is not None)
    except FileNotFoundError:
        return []
    except OSError as error:
        hint = f"make it readable for you: chmod u+rwx {layout.conversations}"
        raise LayoutError(layout.conversations, f"cannot be listed: {error.strerror}", hint=hint) from error


@contextlib.contextmanager
def opened(path: Path) -> Iterator[ArchiveReader]:
    """The archive at `path`, being read. Raises LayoutError where there is no readable file."""
    file = open_regular(path)
    if file is None:
        raise LayoutError(path, "there is no such archive", hint="`recall status` shows where the archives are")
    with io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n") as lines:
        yield ArchiveReader(lines)


def read_archive(path: Path) -> Archive:
    """What the archive at `path` holds, whole in memory. Raises LayoutError."""
    with opened(path) as reader:
        turns = tuple(reader.turns())
        return Archive(reader.head, turns, reader.complete)


def read_head(path: Path) -> Head:
    """The head of the archive at `path`; its turns are not read. Raises LayoutError."""
    with opened(path) as reader:
        return reader.head


def is_damaged(path: Path) -> bool:
    """Whether a file is no whole archive: one of ours without its end, or one in which nobody speaks.

    False for what cannot be read, which is another trouble.
    """
    try:
        with path.open("rb") as file:
            if _MARK_LINE not in file.read(_HEAD_BYTES):
                file.seek(0)
                return not any(line.startswith(b"### ") for line in file)
            size = file.seek(0, os.SEEK_END)
            for reach in (_TAIL_BYTES, size):  # the tags after the end may be long, but hardly ever are
                file.seek(max(size - reach, 0))
                if _END in file.read():
                    return False
    except OSError:
        return False
    return True
