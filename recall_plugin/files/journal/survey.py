"""What the ends of the journal's files tell: its last number, without reading the rest."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.files.journal.entry import LONGEST_LINE, Entry, NotAnEntry, decode
from recall_plugin.files.journal.segments import Tail, damage, lines_backwards, list_segments, open_segment, read_tail


@dataclass(frozen=True, slots=True)
class Survey:
    """The journal's files and how they end.

    segments: all of them, in order, empty ones included.
    tail: of the last segment that is not empty; None where all are.
    last: the last sound event, wherever it stands.
    """

    segments: tuple[Path, ...]
    tail: Tail | None
    last: Entry | None

    @property
    def number(self) -> int:
        """The number of the last sound event, 0 where there is none."""
        return self.last.n if self.last is not None else 0


def survey(folder: Path) -> Survey:
    """How the journal ends, in time that does not depend on its age. Raises JournalDamaged, LayoutError.

    Only the last segment may be torn: whoever begins a new one has cut the one before.
    """
    segments = list_segments(folder)
    newest: Tail | None = None
    for path in reversed(segments):
        tail = read_tail(path)
        if tail.torn and path != segments[-1]:
            good = tail.last.n if tail.last is not None else 0
            raise damage(path, tail.end, "its end was cut, and other segments follow it", good_until=good)
        if newest is None and tail.size > 0:
            newest = tail
        if tail.last is not None:
            return Survey(tuple(segments), newest, tail.last)
    return Survey(tuple(segments), newest, None)


def last_spooled(folder: Path, last: Entry | None) -> set[str]:
    """The ids of the spool files that the last append took over; none where it took over none.

    last: the journal's last event, which must be sound. Raises JournalDamaged, LayoutError.
    """
    found: set[str] = set()
    if last is None or not last.spool:
        return found
    path = folder / last.segment
    more = 0
    with open_segment(path) as file:
        try:
            for offset, line in lines_backwards(file, os.fstat(file.fileno()).st_size):
                place = offset
                entry = decode(line, path.name, offset)
                if entry.more != more:
                    break
                found.add(entry.spool)
                more += 1
        except NotAnEntry as error:
            raise damage(path, place, str(error), good_until=0) from None
    return found


def first_number(path: Path) -> int | None:
    """The number that a segment begins with; None where it begins with no event, or is empty. Raises LayoutError."""
    with open_segment(path) as file:
        try:
            return decode(file.readline(LONGEST_LINE + 1), path.name, 0).n
        except NotAnEntry:
            return None
