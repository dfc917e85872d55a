"""The journal while its lock is held: numbers given, segments begun, the spool taken over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recall_plugin.domain.instants import format_instant
from recall_plugin.errors import LayoutError, WriteFailed
from recall_plugin.files.atomic import sync_folder
from recall_plugin.files.journal import spool
from recall_plugin.files.journal.entry import line_of
from recall_plugin.files.journal.segments import segment_name
from recall_plugin.files.journal.survey import Survey, last_spooled
from recall_plugin.files.journal.writing import append_bytes, cut_tail, sync_file

# What is taken over from the spool in one append: so much that a round costs a hook some hundredths of a second.
_ROUND_FILES = 256
_ROUND_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that was not as it should be, and was put in order. kept: where its bytes are now."""

    path: Path
    reason: str
    kept: Path

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; kept as {self.kept.name}"


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event on its way into the journal. event: as from `encode_event`; at, spool: as in `Entry`."""

    at: str
    event: bytes
    spool: str = ""


class Writer:
    """Appends to a journal whose lock the caller holds."""

    def __init__(self, folder: Path, found: Survey) -> None:
        """found: the journal as it is. Its torn tail is cut. Raises WriteFailed, LayoutError."""
        self._folder = folder
        self._last = found.last
        self._newest = found.segments[-1] if found.segments else None
        self.number = found.number
        self.notices: list[Notice] = []
        if found.tail is not None and found.tail.torn:
            kept = cut_tail(found.tail, self.number + 1)
            reason = f"{found.tail.size - found.tail.end} bytes of an append that was never finished were cut off"
            self.notices.append(Notice(found.tail.path, reason, kept))

    def write(self, events: Sequence[Numbered], now: datetime) -> range:
        """The events stand in the journal, on the disk, in one piece; their numbers.

        They go to the segment of `now`, or to the latest one where the clock went back. Raises WriteFailed, and then
        nothing has changed; WriteUnconfirmed, LayoutError.
        """
        first = self.number + 1
        if not events:
            return range(first, first)
        path = self._folder / segment_name(format_instant(now))
        if self._newest is not None and self._newest.name >= path.name:
            path = self._newest
        elif self._newest is not None:
            # What a killed process left there without a sync must not be missing when later events are there.
            sync_file(self._newest)
        count = len(events)
        lines = [
            line_of(first + place, item.at, item.event, more=count - 1 - place, spool=item.spool)
            for place, item in enumerate(events)
        ]
        append_bytes(path, b"".join(lines))
        self._newest = path
        self.number += count
        return range(first, first + count)

    def sync(self) -> None:
        """What killed processes left in the latest segment is on the disk. Raises WriteUnconfirmed, LayoutError."""
        if self._newest is not None:
            sync_file(self._newest)

    def absorb(self, folder: Path, now: datetime, *, rounds: int | None = None) -> bool:
        """What waits in the spool `folder` stands in the journal, each file once; False where some still waits.

        To be called before anything else is written: then a file whose events are in the journal already, because a
        process was killed before it could remove it, is one of the last append's, and the names tell which.
        rounds: at most so many appends; None for as many as are needed.
        Raises WriteFailed, WriteUnconfirmed, LayoutError, JournalDamaged.
        """
        waiting = spool.waiting(folder)
        if not waiting:
            return True
        taken_over = last_spooled(self._folder, self._last)
        _remove(folder, [path for path in waiting if spool.id_of(path) in taken_over])
        waiting = [path for path in waiting if spool.id_of(path) not in taken_over]
        while waiting and rounds != 0:
            read, waiting = self._read_round(waiting)
            events = [
                Numbered(item.at, event, spool.id_of(path)) for path, item in read for event in item.events
            ]  # one append: what it takes over can be told from its last line backwards
            self.write(events, now)
            _remove(folder, [path for path, _ in read])
            rounds = rounds - 1 if rounds is not None else None
        return not waiting

    def _read_round(self, waiting: Sequence[Path]) -> tuple[list[tuple[Path, spool.Spooled]], list[Path]]:
        """What the first files hold, and the rest of the files. What cannot be read is put aside with a notice."""
        read: list[tuple[Path, spool.Spooled]] = []
        size = 0
        for place, path in enumerate(waiting):
            if len(read) == _ROUND_FILES or size >= _ROUND_BYTES:
                return read, list(waiting[place:])
            try:
                item = spool.read(path)
            except LayoutError as error:
                self.notices.append(Notice(path, error.reason, _put_aside(path)))
                continue
            size += sum(len(event) for event in item.events)
            read.append((path, item))
        return read, []


def _remove(folder: Path, paths: Sequence[Path]) -> None:
    """The files are gone, on the disk too: after a power cut none of them comes back behind later appends."""
    if not paths:
        return
    try:
        for path in paths:
            path.unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        raise WriteFailed.from_os_error(paths[0], error) from error


def _put_aside(path: Path) -> Path:
    try:
        return spool.put_aside(path)
    except OSError as error:
        raise WriteFailed.from_os_error(path, error) from error
