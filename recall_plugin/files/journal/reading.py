"""The events in order, each line checked for being the one that belongs there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from recall_plugin.files.journal.entry import LONGEST_LINE, Entry, NotAnEntry, NotJson, decode, number_of
from recall_plugin.files.journal.segments import damage, lines_backwards, open_segment, read_tail
from recall_plugin.files.journal.survey import first_number


@dataclass(frozen=True, slots=True)
class Extent:
    """What there is to read.

    segments: at least one, in order.
    newest: the last of them, open: it stays the file that was looked at when another process rewrites it.
    end: the byte of it where its sound part ends.
    """

    segments: Sequence[Path]
    newest: BinaryIO
    end: int


def read_after(extent: Extent, after: int) -> Iterator[Entry]:
    """The events numbered from `after` + 1, in order; what stands before them is not looked at, but for the end of the
    segment before the first one that is read.

    Raises JournalDamaged at the first line that is no event, or bears another number than is due; LayoutError.
    """
    begin, due = _begin(extent.segments, after)
    for path in extent.segments[begin:]:
        with contextlib.ExitStack() as stack:
            if path == extent.segments[-1]:
                file, end = extent.newest, extent.end
            else:
                file = stack.enter_context(open_segment(path))
                end = os.fstat(file.fileno()).st_size
            offset = 0
            if due <= after:
                offset, due = _skip(file, end, after) or (0, due)
            for entry in _entries(path, file, offset, end, due):
                due = entry.n + 1
                if entry.n > after:
                    yield entry


def _begin(segments: Sequence[Path], after: int) -> tuple[int, int]:
    """The place of the segment to begin with, and the number that is due at its beginning."""
    if after > 0:
        for place in range(len(segments) - 1, 0, -1):
            number = first_number(segments[place])
            if number is not None and number <= after + 1:
                due = _number_after(segments[:place])
                if number != due:
                    reason = f"event {number} stands where {due} is due"
                    raise damage(segments[place], 0, reason, good_until=due - 1)
                return place, due
    return 0, 1


def _number_after(segments: Sequence[Path]) -> int:
    for path in reversed(segments):
        last = read_tail(path).last
        if last is not None:
            return last.n + 1
    return 1


def _skip(file: BinaryIO, end: int, after: int) -> tuple[int, int] | None:
    """Where the events after `after` begin and the number due there, found from the end; None where it is not."""
    with contextlib.suppress(NotJson):
        for offset, line in lines_backwards(file, end):
            number = number_of(line)
            if number is None:
                return None
            if number == after + 1:
                return offset, number
            if number <= after:
                return offset + len(line), number + 1
    return None


def _entries(path: Path, file: BinaryIO, offset: int, end: int, due: int) -> Iterator[Entry]:
    file.seek(offset)
    name = path.name
    while offset < end and (line := file.readline(LONGEST_LINE + 1)):
        try:
            entry = decode(line, name, offset)
        except NotAnEntry as error:
            raise damage(path, offset, str(error), good_until=due - 1) from None
        if entry.n != due:
            raise damage(path, offset, f"event {entry.n} stands where {due} is due", good_until=due - 1)
        yield entry
        due += 1
        offset += len(line)
