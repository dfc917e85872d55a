"""The journal: numbered events in monthly files, appended under a lock and never changed but to forget.

docs/journal.md describes the files, and what is done about damaged ones.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recall_plugin.domain.instants import format_instant
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import Busy, JournalDamaged, LayoutError, WriteFailed, WriteUnconfirmed
from recall_plugin.files.atomic import make_folder, remove_abandoned, sync_folder
from recall_plugin.files.journal import rewriting, spool
from recall_plugin.files.journal.checking import Checked, Signature, first_changed, signatures_of
from recall_plugin.files.journal.entry import Entry, encode_event
from recall_plugin.files.journal.reading import Extent, read_after
from recall_plugin.files.journal.rewriting import Rewritten
from recall_plugin.files.journal.segments import list_segments, open_segment, read_tail
from recall_plugin.files.journal.survey import Survey, survey
from recall_plugin.files.journal.writer import Notice, Numbered, Writer
from recall_plugin.files.lock import DEFAULT_PATIENCE_SECONDS, folder_lock

# An append takes some milliseconds; a torn end that outlasts this is no append under way.
_GLANCE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class JournalState:
    """What the ends and the names of the journal's files tell.

    events: the number of the last one, so blanks count; 0 where a damaged end hides it.
    last_at: when it was written down.
    bytes: of all segments. segments: how many there are.
    waiting: files in the spool. set_aside: unreadable spool files. torn_files: what was cut off unfinished appends.
    problem: what is wrong with the journal's end; empty where nothing is.
    """

    events: int
    last_at: datetime | None
    bytes: int
    segments: int
    waiting: int
    set_aside: int
    torn_files: int
    problem: str


class Journal:
    """One memory's journal. Cheap to make: nothing is opened or kept open; threads and processes may share the files.

    notices: what this object found out of order and put in order, as `recover` and the appends came upon it.
    """

    def __init__(self, layout: Layout) -> None:
        self._folder = layout.journal
        self._spool = layout.spool
        self._lock = layout.journal_lock
        self._stopped: WriteUnconfirmed | None = None
        self.notices: list[Notice] = []

    def append(
        self, events: Sequence[Mapping[str, object]], *, now: datetime, patience: float = DEFAULT_PATIENCE_SECONDS
    ) -> range:
        """The events stand in the journal, on the disk, one after the other, behind all that waited in the spool.

        Returns their numbers. All of them or, when this raises, none. now: when they are written down, aware.
        patience: seconds to wait for the lock, at least 0.
        Raises EventRefused, Busy, WriteFailed, JournalDamaged where the last number is not to be found, LayoutError;
        WriteUnconfirmed where the disk does not confirm, and from then on.
        """
        encoded = _encoded(events, now)
        with self._writing(patience) as writer:
            writer.absorb(self._spool, now)
            return writer.write(encoded, now)

    def absorb(self, *, now: datetime, patience: float = DEFAULT_PATIENCE_SECONDS) -> range:
        """What waited in the spool stands in the journal, each event once; their numbers. Raises as `append`."""
        with self._writing(patience) as writer:
            first = writer.number + 1
            writer.absorb(self._spool, now)
            return range(first, writer.number + 1)

    def note(self, events: Sequence[Mapping[str, object]], *, now: datetime) -> range | None:
        """The events stand in the journal, and their numbers are returned; or they wait in the spool, and None is.

        For hooks: waits for nobody, takes over a bounded part of the spool, and spools where the journal is held,
        damaged, or cannot be written. Raises EventRefused, WriteFailed.
        """
        encoded = _encoded(events, now)
        try:
            with self._writing(0.0) as writer:
                if writer.absorb(self._spool, now, rounds=1):
                    return writer.write(encoded, now)
        except WriteUnconfirmed:  # it may stand there, and must not come twice
            raise
        except (Busy, LayoutError, WriteFailed):
            pass
        self.spool(events, now=now)
        return None

    def spool(self, events: Sequence[Mapping[str, object]], *, now: datetime) -> None:
        """The events wait on the disk for the next append, in one piece. Needs no lock.

        Raises EventRefused, also for more than 16 MiB in all; WriteFailed, LayoutError.
        """
        if not events:
            return
        _make(self._folder)
        _make(self._spool)
        spool.write(self._spool, events, now)

    def read(self, after: int = 0, *, patience: float = DEFAULT_PATIENCE_SECONDS) -> Iterator[Entry]:
        """The events from number `after` + 1 to the last that is on the disk by now, in order, as a stream.

        What waits in the spool is not among them. What stands before is not looked at, so an `after` past the end
        gives nothing: compare it with `last_number`.
        While iterated it raises JournalDamaged at the place, after all events before it; LayoutError, Busy,
        WriteUnconfirmed. Where the lock's file cannot be written nobody is waited for.
        """
        with contextlib.ExitStack() as files:
            extent = self._extent(files, patience)
            if extent is not None:
                yield from read_after(extent, after)

    def last_number(self, *, patience: float = DEFAULT_PATIENCE_SECONDS) -> int:
        """The number of the last event that is on the disk; 0 where there is none. Raises as `read`, at once."""
        with self._looking(patience) as held:
            found = survey(self._folder)
            if held and found.tail is not None:
                with open_segment(found.tail.path) as file:
                    self._confirm(found.tail.path, file.fileno())
            return found.number

    def recover(self, *, patience: float = DEFAULT_PATIENCE_SECONDS) -> tuple[Notice, ...]:
        """The journal ends with a whole append, on the disk; what was out of order, which a person should be told.

        For whoever opens the memory. Raises Busy, WriteFailed, WriteUnconfirmed, JournalDamaged, LayoutError.
        """
        before = len(self.notices)
        with self._writing(patience) as writer:
            writer.sync()
            remove_abandoned(self._folder)
            remove_abandoned(self._spool)
        return tuple(self.notices[before:])

    def check(self, known: Mapping[str, Signature], *, patience: float = DEFAULT_PATIENCE_SECONDS) -> Checked:
        """Whether every line from the first on is the event that belongs there.

        known: of a former check; a segment that has not changed since is not read again. Raises Busy, LayoutError,
        WriteUnconfirmed.
        """
        segments = list_segments(self._folder)
        try:
            now = signatures_of(segments)
        except OSError as error:
            raise LayoutError(self._folder, f"cannot be read: {error.strerror}") from error
        place = first_changed(segments, now, known)
        if place == len(segments):
            return Checked(now)
        try:
            # What stands before the first changed segment is known to be sound, so that its last number counts.
            sound = (read_tail(path).last for path in reversed(segments[:place]))
            last = next((entry for entry in sound if entry is not None), None)
            for _ in self.read(after=last.n if last is not None else 0, patience=patience):
                pass
        except JournalDamaged as damage:
            return Checked(dict(known), str(damage))
        return Checked(now)

    def rewrite(
        self,
        replace: Callable[[Entry], Entry | None],
        *,
        now: datetime,
        patience: float = DEFAULT_PATIENCE_SECONDS,
    ) -> Rewritten:
        """Every event is what `replace` makes of it, under its number; a blank where that is None.

        Takes over the spool first. Of what `replace` returns, kind, version and fields count. Files of cut bytes
        (`torn-*.bin`) and unreadable spool files are not touched: `remains` names them. Raises EventRefused,
        JournalDamaged, LayoutError, Busy with nothing changed; WriteFailed with each segment wholly old or new.
        """
        with self._writing(patience) as writer:
            writer.absorb(self._spool, now)
            with contextlib.ExitStack() as files:
                extent = self._surveyed(files)
                entries = read_after(extent, 0) if extent is not None else iter(())
                return rewriting.rewrite(self._folder, entries, replace)

    def remains(self) -> list[Path]:
        """The files beside the segments that hold words of events: cut bytes, and spool files that were set aside."""
        return sorted([*_torn_files(self._folder), *spool.set_aside(self._spool)])

    def state(self) -> JournalState:
        """How the journal stands, by its files' ends and names; waits for nobody. Raises LayoutError."""
        found, problem = self._examined()
        if problem:
            try:
                with folder_lock(self._lock, _GLANCE_SECONDS):
                    found, problem = self._examined()
            except Busy:
                problem = ""  # an append under way looks like that
            except WriteFailed:  # a folder that may only be read: it is as it looks
                pass
        sizes = [path.lstat().st_size for path in list_segments(self._folder)]
        return JournalState(
            events=found.number if found is not None else 0,
            last_at=found.last.at if found is not None and found.last is not None else None,
            bytes=sum(sizes),
            segments=len(sizes),
            waiting=len(spool.waiting(self._spool)),
            set_aside=len(spool.set_aside(self._spool)),
            torn_files=len(_torn_files(self._folder)),
            problem=problem,
        )

    def _examined(self) -> tuple[Survey | None, str]:
        try:
            found = survey(self._folder)
        except LayoutError as error:
            return None, str(error)
        if found.tail is None or not found.tail.torn:
            return found, ""
        torn = found.tail.size - found.tail.end
        return found, f"{found.tail.path}: {torn} bytes at its end are of an append that was never finished"

    @contextlib.contextmanager
    def _writing(self, patience: float) -> Iterator[Writer]:
        if self._stopped is not None:
            raise WriteUnconfirmed(self._stopped.path, f"an earlier write failed: {self._stopped.reason}")
        _make(self._folder)
        with folder_lock(self._lock, patience):
            try:
                writer = Writer(self._folder, survey(self._folder))
                try:
                    yield writer
                finally:
                    self.notices += writer.notices
            except WriteUnconfirmed as error:
                self._stopped = error
                raise

    @contextlib.contextmanager
    def _looking(self, patience: float) -> Iterator[bool]:
        """What is seen meanwhile is no append under way; False where the lock is out of reach, and nothing is sure."""
        with contextlib.ExitStack() as stack:
            held = self._folder.is_dir()
            if held:
                try:
                    stack.enter_context(folder_lock(self._lock, patience))
                except WriteFailed:
                    held = False
            yield held

    def _extent(self, files: contextlib.ExitStack, patience: float) -> Extent | None:
        with self._looking(patience) as held:
            extent = self._surveyed(files)
            if held and extent is not None:
                self._confirm(extent.segments[-1], extent.newest.fileno())
            return extent

    def _surveyed(self, files: contextlib.ExitStack) -> Extent | None:
        """What there is to read; of a journal with a damaged end all of it, so that the reader comes to the place."""
        segments = list_segments(self._folder)
        end: int | None = None
        try:
            found = survey(self._folder)
            if found.tail is None:
                return None
            newest, end = found.tail.path, found.tail.end
        except JournalDamaged:
            newest = [path for path in segments if path.lstat().st_size > 0][-1]
        file = files.enter_context(open_segment(newest))
        if end is None:
            end = os.fstat(file.fileno()).st_size
        return Extent(segments[: segments.index(newest) + 1], file, end)

    def _confirm(self, path: Path, descriptor: int) -> None:
        """What a killed process wrote is on the disk before anybody acts on it."""
        try:
            os.fsync(descriptor)
        except OSError as error:
            self._stopped = WriteUnconfirmed(path, f"the disk did not confirm it: {error.strerror}")
            raise self._stopped from error


def _encoded(events: Sequence[Mapping[str, object]], now: datetime) -> list[Numbered]:
    at = format_instant(now)
    return [Numbered(at, encode_event(event)) for event in events]


def _make(folder: Path) -> None:
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        raise WriteFailed.from_os_error(folder, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    make_folder(folder)
    try:
        sync_folder(folder.parent)
    except OSError as error:
        raise WriteFailed.from_os_error(folder, error) from error


def _torn_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("torn-*.bin"))
