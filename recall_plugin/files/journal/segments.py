"""The journal's files: which there are, how one is opened, and where its sound part ends."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from recall_plugin.errors import JournalDamaged, LayoutError
from recall_plugin.files.journal.entry import LONGEST_LINE, Entry, NotAnEntry, NotJson, decode

_NAME = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])\.jsonl", re.ASCII)
_BLOCK = 1 << 16


def segment_name(at: str) -> str:
    """The name of the segment for an instant as `format_instant` writes it: `2026-11.jsonl`."""
    return f"{at[:7]}.jsonl"


def list_segments(folder: Path) -> list[Path]:
    """The journal's segments in the order of their numbers; none where the folder is missing. Raises LayoutError."""
    try:
        names = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LayoutError(folder, f"cannot be read: {error.strerror}") from error
    return [folder / name for name in sorted(names) if _NAME.fullmatch(name)]


def open_descriptor(path: Path, flags: int, mode: int = 0) -> int:
    """A descriptor of a regular file, no link followed and no fifo waited for. Raises LayoutError, OSError."""
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode)
    except OSError as error:
        kinds = {errno.ELOOP: "a link", errno.EMLINK: "a link", errno.EISDIR: "a folder", errno.ENXIO: "a fifo"}
        if error.errno in kinds:
            raise _foreign(path, kinds[error.errno]) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _foreign(path, "no regular file")
    return descriptor


def _foreign(path: Path, what: str) -> LayoutError:
    return LayoutError(path, f"{what} stands where a file of the journal should be", hint="move it away")


def open_segment(path: Path) -> BinaryIO:
    """A segment, open for reading. Raises LayoutError for what is no regular file or cannot be read."""
    try:
        return os.fdopen(open_descriptor(path, os.O_RDONLY), "rb", buffering=1 << 18)
    except OSError as error:
        hint = f"make it readable for you: chmod u+r {path}" if error.errno == errno.EACCES else ""
        raise LayoutError(path, f"cannot be read: {error.strerror}", hint=hint) from error


def lines_backwards(file: BinaryIO, end: int) -> Iterator[tuple[int, bytes]]:
    """The lines of a file before the byte `end`, last first, each with its offset and its newline.

    The first one lacks its newline where `end` stands inside a line. Raises NotJson where a line is longer than any
    event's, so that memory is bounded by that.
    """
    position, pending = end, b""
    while position > 0:
        step = min(_BLOCK, position)
        position -= step
        file.seek(position)
        pending = file.read(step) + pending
        stop = len(pending)
        while (newline := pending.rfind(b"\n", 0, stop - 1)) >= 0:
            yield position + newline + 1, pending[newline + 1 : stop]
            stop = newline + 1
        pending = pending[:stop]
        if len(pending) > LONGEST_LINE:
            raise NotJson(f"longer than {LONGEST_LINE} bytes")
    if pending:
        yield 0, pending


@dataclass(frozen=True, slots=True)
class Tail:
    """How a segment ends.

    end: the byte where its sound part ends; what stands after it was never acknowledged.
    size: its bytes in all; more than `end` exactly where it is torn.
    last: the last event of the sound part; None where there is none.
    """

    path: Path
    end: int
    size: int
    last: Entry | None

    @property
    def torn(self) -> bool:
        return self.end < self.size


def read_tail(path: Path) -> Tail:
    """How a segment ends, in time that depends on its last append only.

    Torn are: a last line without newline, a last line that is no JSON, and the events of an append that lacks its
    last ones. Raises JournalDamaged where that leaves another line that is no event, since nothing says what its
    number was; LayoutError.
    """
    with open_segment(path) as file:
        end = size = os.fstat(file.fileno()).st_size
        last: Entry | None = None
        try:
            for offset, line in lines_backwards(file, size):
                try:
                    entry = decode(line, path.name, offset)
                except NotJson:
                    if end < size:
                        raise
                    end = offset
                    continue
                if last is None and entry.more == 0:
                    last = entry
                    break
                if last is not None and entry.more != last.more + 1:
                    last = entry
                    break
                last, end = entry, offset
            else:
                last = None
        except NotAnEntry as error:
            start = _line_start(file, end)
            raise damage(path, start, str(error), good_until=_last_good(file, start)) from None
        return Tail(path, end, size, last)


def _line_start(file: BinaryIO, end: int) -> int:
    """The byte where the line begins that ends at `end`, however long it is."""
    position = end - 1  # its own newline is not the one before it
    while position > 0:
        step = min(_BLOCK, position)
        position -= step
        file.seek(position)
        newline = file.read(step).rfind(b"\n")
        if newline >= 0:
            return position + newline + 1
    return 0


def _last_good(file: BinaryIO, end: int) -> int:
    with contextlib.suppress(NotJson):
        for offset, line in lines_backwards(file, end):
            with contextlib.suppress(NotAnEntry):
                return decode(line, "", offset).n
    return 0


def damage(path: Path, offset: int, reason: str, *, good_until: int) -> JournalDamaged:
    """The error that names the line which begins at a byte of a segment."""
    with open_segment(path) as file:
        line, left = 1, offset
        while left > 0 and (block := file.read(min(left, _BLOCK))):
            line += block.count(b"\n")
            left -= len(block)
    return JournalDamaged(path, line, reason, good_until=good_until)
