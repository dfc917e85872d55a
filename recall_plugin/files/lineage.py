"""What of a session is archived already: by the ids of its turns, or by their place where they have none."""

from __future__ import annotations

import hashlib
import itertools
import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recall_plugin.domain.conversation import Turn
from recall_plugin.domain.instants import parse_duration
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import Transcript
from recall_plugin.files import conversations, layers
from recall_plugin.files.archive_format import ArchiveReader, turn_opening
from recall_plugin.files.sessions import SessionRow

if TYPE_CHECKING:
    from recall_plugin.domain.digesting.builder import DigestBuilder

# A fork begins with copies: so many of its first turns are looked for in other sessions.
_PROBE_TURNS = 40
# An index row's duration is cut to its unit.
_DURATION_SLACK_SECONDS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Lineage:
    """The archives that may hold a session's turns.

    own: the session's, by number. ancestors: those it was forked from. latest: the highest number there was, of
    whatever session, when this was found; 0 for none.
    """

    own: tuple[int, ...] = ()
    ancestors: tuple[int, ...] = ()
    latest: int = field(default=0, compare=False)

    def holds_now(self, layout: Layout, transcript: Transcript) -> bool:
        """Whether no other process has added to it meanwhile."""
        return self.latest == _latest(layout) or find(layout, transcript) == self


@dataclass(slots=True)
class Known:
    """The turns that a lineage holds.

    archive_of: the archive of each turn that has an id.
    placed: a key for each turn of the session that has none, in order.
    """

    archive_of: dict[str, int] = field(default_factory=dict)
    placed: list[bytes] = field(default_factory=list)

    def holds(self, turn_id: str) -> bool:
        """Whether a turn of this id is kept; a tool still without its answer is, when the answered one is."""
        return turn_id in self.archive_of or turn_id.removesuffix("~") in self.archive_of


def find(layout: Layout, transcript: Transcript) -> Lineage:
    """The lineage of a transcript's session, as the conversations have it now."""
    latest = _latest(layout)
    rows = layers.current_rows(layout)
    session = transcript.session
    own = next((row for row in rows if row.key == (session.agent, session.id)), None)
    if own is not None:
        return Lineage(own.parts, tuple(_ancestors_of(layout, own, rows)), latest)
    return Lineage((), tuple(_ancestors_by_copies(layout, transcript, rows)), latest)


def _latest(layout: Layout) -> int:
    return max(conversations.numbers(layout), default=0)


def load(layout: Layout, lineage: Lineage, digest: DigestBuilder) -> Known:
    """Every turn that the lineage holds; the session's own ones are added to `digest`."""
    known = Known()
    for number in lineage.ancestors:
        with conversations.opened(layout.conversation(number)) as reader:
            known.archive_of.update((turn.id, number) for turn in _whole_turns(reader) if turn.id)
    for number in lineage.own:
        with conversations.opened(layout.conversation(number)) as reader:
            for turn in _whole_turns(reader):
                digest.add(turn)
                if turn.id:
                    known.archive_of[turn.id] = number
                else:
                    known.placed.append(place_key(turn))
    return known


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
    """Equal for two turns without ids that say the same; which of several such turns one is, its place decides."""
    tool = turn.tool.name if turn.tool else ""
    return hashlib.sha256("\0".join((turn.role, tool, turn.text)).encode("utf-8", "replace")).digest()[:16]


def placed_anew(known: Sequence[bytes], given: Sequence[bytes]) -> set[int]:
    """The positions in `given` that `known` does not hold, comparing places, not texts alone.

    A host that gives the whole session gives what is known, and more. One that compacted gives something else, then the
    last part of what is known, then more.
    """
    common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(known, given, strict=False)))
    if common in {len(known), len(given)}:
        return set(range(common, len(given)))
    start, length = _longest_tail(known, given)
    return set(range(start)) | set(range(start + length, len(given)))


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


def _ancestors_by_copies(layout: Layout, transcript: Transcript, rows: list[SessionRow]) -> Iterator[int]:
    """The archives of the sessions that hold one of the transcript's first turns."""
    probes = [turn for turn in itertools.islice(transcript.turns(), _PROBE_TURNS) if turn.id and turn.time]
    if not probes:
        return
    needles = [turn_opening(turn.id).encode() for turn in probes]
    times = [turn.time for turn in probes if turn.time is not None]
    inherited_from = transcript.report.inherited_from
    for row in rows:
        if (row.session_id == inherited_from or _covers(row, min(times), max(times))) and any(
            _contains(layout.conversation(number), needles) for number in row.parts
        ):
            yield from row.parts


def _covers(row: SessionRow, earliest: datetime, latest: datetime) -> bool:
    if row.date is None:
        return False
    # In seconds, because a date of a foreign file may lie at the end of the calendar.
    end = row.date.timestamp() + parse_duration(row.duration) + 1 + _DURATION_SLACK_SECONDS.get(row.duration[-1:], 0)
    return row.date <= latest and earliest.timestamp() <= end


def _contains(path: Path, needles: Iterable[bytes]) -> bool:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return any(data.find(needle) >= 0 for needle in needles)
    except (OSError, ValueError):  # an empty file cannot be mapped; an unreadable one holds nothing that we can link to
        return False
