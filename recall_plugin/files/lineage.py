"""What of a session is archived already: by the ids of its turns, or by their place where they have none."""

from __future__ import annotations

import hashlib
import itertools
import mmap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recall_plugin.domain.conversation import Session, Turn
from recall_plugin.domain.instants import parse_duration
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import LayoutError
from recall_plugin.files import conversations, layers
from recall_plugin.files.archive_format import ArchiveReader, turn_opening
from recall_plugin.files.atomic import open_regular
from recall_plugin.files.redaction import redact
from recall_plugin.files.sessions import SessionRow

if TYPE_CHECKING:
    from recall_plugin.domain.digesting.builder import DigestBuilder

# A fork begins with copies: so many of the first turns that are not known yet are looked for in other sessions.
_PROBE_TURNS = 40
# An index row's duration is cut to its unit.
_DURATION_SLACK_SECONDS = {"s": 1, "m": 60, "h": 3600}
# What two clips of a tool's output have in common, however much of it each keeps.
_TOOL_KEY_CHARS = 300


@dataclass(frozen=True, slots=True)
class Lineage:
    """The archives that may hold a session's turns.

    own: the session's, by number. ancestors: those that share turns with it, because one was forked from the other.
    latest: the highest number there was, of whatever session, when this was found; 0 for none.
    """

    own: tuple[int, ...] = ()
    ancestors: tuple[int, ...] = ()
    latest: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Source:
    """A session that is to be archived.

    session: as it would be written. turns: gives its turns, from the start each time, as they were said.
    prepare: makes a turn what would be written of it; it costs something, so it is called only where that matters.
    """

    session: Session
    turns: Callable[[], Iterator[Turn]]
    prepare: Callable[[Turn], Turn]


@dataclass(slots=True)
class Known:
    """The turns that a lineage holds.

    prepare: as for `Source`. placed: a key for each turn of the session that has no id, in order.
    """

    prepare: Callable[[Turn], Turn]
    placed: list[bytes] = field(default_factory=list)
    _own: dict[tuple[str, str], list[_Kept]] = field(default_factory=dict)
    _inherited: dict[tuple[str, str], list[_Kept]] = field(default_factory=dict)

    def add(self, turn: Turn, number: int, *, own: bool) -> None:
        """`turn` stands in the archive of this number. own: whether that is the session's, not an ancestor's."""
        if turn.id:
            kept = _Kept(turn.time, _digest(turn.text), number)
            (self._own if own else self._inherited).setdefault((turn.role, turn.id), []).append(kept)
        elif own:
            self.placed.append(place_key(turn))

    def archive_of(self, turn: Turn) -> int | None:
        """The archive that holds this turn, which has an id; None where none does.

        In the session's own archives the id tells, and where it was given twice, the time, or without times the text. A
        copy in another session's archive has the same time and text as well, because ids may be only numbers there.
        A tool's use without its answer is known where the answered one is.
        """
        if turn.id.endswith("~") and (answered := self._own.get((turn.role, turn.id[:-1]))):
            return answered[0].number
        for kept in self._own.get((turn.role, turn.id), ()):
            timed = kept.time is not None and turn.time is not None
            if kept.time == turn.time if timed else self._says(kept, turn):
                return kept.number
        for kept in self._inherited.get((turn.role, turn.id), ()):
            if turn.time is not None and kept.time == turn.time and self._says(kept, turn):
                return kept.number
        return None

    def _says(self, kept: _Kept, turn: Turn) -> bool:
        return kept.digest == _digest(self.prepare(turn).text)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is remembered of a kept turn beside its id. digest: of its text; number: of its archive."""

    time: datetime | None
    digest: bytes
    number: int


@dataclass(frozen=True, slots=True)
class Found:
    """A session's lineage, and what it holds."""

    lineage: Lineage
    known: Known


def find(layout: Layout, source: Source) -> Found:
    """The lineage of a session, as the conversations have it now."""
    latest = _latest(layout)
    rows = layers.current_rows(layout)
    session = source.session
    own = next((row for row in rows if row.key == (session.agent, session.id)), None)
    known = Known(source.prepare)
    ancestors: list[int] = []
    if own is not None:
        _load(layout, own.parts, known, own=True)
        ancestors += _ancestors_of(layout, own, rows)
        _load(layout, ancestors, known, own=False)
    others = [row for row in rows if row is not own and row.agent == session.agent]
    while copied := _holders_of_copies(layout, source, known, [row for row in others if row.parts[0] not in ancestors]):
        ancestors += copied
        _load(layout, copied, known, own=False)
    return Found(Lineage(own.parts if own is not None else (), tuple(sorted(ancestors)), latest), known)


def confirm(layout: Layout, source: Source, found: Lineage) -> Lineage | None:
    """The same lineage with the latest number of now; None where another process has added to it meanwhile."""
    latest = _latest(layout)
    if latest == found.latest:
        return found
    now = find(layout, source).lineage
    return replace(found, latest=latest) if now == found else None


def add_to_digest(layout: Layout, lineage: Lineage, digest: DigestBuilder) -> None:
    """Every turn that the session's own archives hold is part of `digest`."""
    for number in lineage.own:
        with conversations.opened(layout.conversation(number)) as reader:
            for turn in _whole_turns(reader):
                digest.add(turn)


def _latest(layout: Layout) -> int:
    return max(conversations.numbers(layout), default=0)


def _load(layout: Layout, numbers: Iterable[int], known: Known, *, own: bool) -> None:
    for number in numbers:
        with conversations.opened(layout.conversation(number)) as reader:
            for turn in _whole_turns(reader):
                known.add(turn, number, own=own)


def _whole_turns(reader: ArchiveReader) -> Iterator[Turn]:
    """The archive's turns, without the last one where the file was cut off in it: that is kept again, whole."""
    previous: Turn | None = None
    for turn in reader.turns():
        if previous is not None:
            yield previous
        previous = turn
    if previous is not None and reader.complete:
        yield previous


def place_key(turn: Turn) -> bytes:
    """Equal for two turns without ids that say the same; which of several such turns one is, its place decides.

    It is the same whether secrets were masked, and however a tool's output was clipped.
    """
    text = redact(turn.text)
    tool = turn.tool.name if turn.tool else ""
    return _digest("\0".join((turn.role, tool, text[:_TOOL_KEY_CHARS] if turn.tool else text)))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]


def placed_anew(known: Sequence[bytes], given: Sequence[bytes]) -> set[int]:
    """The positions in `given` that `known` does not hold, comparing places, not texts alone.

    A host that gives the whole session gives what is known, and more. One that compacted gives something else, then the
    last part of what is known, then more.
    """
    common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(known, given, strict=False)))
    if common in {len(known), len(given)}:
        return set(range(common, len(given)))
    start, length = _longest_tail(known, given)
    # What stands before the last of what is known was said before it, so it is new only if it was never kept: a summary
    # that the host put in its place.
    older = Counter(known[: len(known) - length])
    fresh = set(range(start + length, len(given)))
    for place in range(start):
        if older[given[place]] > 0:
            older[given[place]] -= 1
        else:
            fresh.add(place)
    return fresh


def _longest_tail(known: Sequence[bytes], given: Sequence[bytes]) -> tuple[int, int]:
    """Where in `given` the longest end of `known` stands, the latest where several do, and how long it is.

    Knuth, Morris and Pratt's matching of the reversed sequences: linear in both.
    """
    pattern, text = known[::-1], given[::-1]
    fallback = [0] * len(pattern)
    length = 0
    for position in range(1, len(pattern)):
        while length and pattern[position] != pattern[length]:
            length = fallback[length - 1]
        length += pattern[position] == pattern[length]
        fallback[position] = length
    best_end, best, length = 0, 0, 0
    for position, item in enumerate(text):
        while length and (length == len(pattern) or item != pattern[length]):
            length = fallback[length - 1]
        length += item == pattern[length]
        if length > best:
            best_end, best = position + 1, length
    return len(given) - best_end, best


def _ancestors_of(layout: Layout, own: SessionRow, rows: list[SessionRow]) -> Iterator[int]:
    """Follows `continues` back from a session's first archive."""
    sessions_by_part = {number: row for row in rows for number in row.parts}
    seen = set(own.parts)
    number = own.parts[0]
    while True:
        continues = conversations.read_head(layout.conversation(number)).continues
        if continues is None or continues in seen or continues not in sessions_by_part:
            return
        parts = sessions_by_part[continues].parts
        seen.update(parts)
        yield from parts
        number = parts[0]


def _holders_of_copies(layout: Layout, source: Source, known: Known, rows: list[SessionRow]) -> list[int]:
    """The archives of the sessions in `rows` that seem to hold one of the first turns that are not known yet."""
    if not rows:
        return []
    unknown = (turn for turn in source.turns() if turn.id and turn.time and known.archive_of(turn) is None)
    probes = list(itertools.islice(unknown, _PROBE_TURNS))
    if not probes:
        return []
    needles = [turn_opening(turn.id).encode() for turn in probes]
    times = [turn.time for turn in probes if turn.time is not None]
    return [
        number
        for row in rows
        if _covers(row, min(times), max(times))
        and any(_contains(layout.conversation(number), needles) for number in row.parts)
        for number in row.parts
    ]


def _covers(row: SessionRow, earliest: datetime, latest: datetime) -> bool:
    if row.date is None:
        return False
    # In seconds, because a date of a foreign file may lie at the end of the calendar.
    end = row.date.timestamp() + parse_duration(row.duration) + 1 + _DURATION_SLACK_SECONDS.get(row.duration[-1:], 0)
    return row.date <= latest and earliest.timestamp() <= end


def _contains(path: Path, needles: Iterable[bytes]) -> bool:
    try:
        file = open_regular(path)
        if file is None:
            return False
        with file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return any(data.find(needle) >= 0 for needle in needles)
    except (LayoutError, OSError, ValueError):  # an empty file cannot be mapped; an unreadable one holds nothing for us
        return False
