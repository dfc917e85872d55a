"""What the archives say of each session: the value behind a row of ARCHIVE.md and an entry of EPHEMERAL.md.

Both files are derived from these, and these from the conversation files alone, so both can always be made again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from recall_plugin.domain.digest import Digest
from recall_plugin.domain.instants import format_duration, format_seconds, parse_duration
from recall_plugin.files.archive_format import Head


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session in the index.

    parts: the numbers of its archives, ascending, at least one.
    date: when it began, to the second, UTC; None where no archive says.
    seconds: from its first turn to its last.
    messages: turns of the person and of the agent in all its archives.
    """

    parts: tuple[int, ...]
    date: datetime | None
    session_id: str
    agent: str
    project: str
    messages: int
    duration: str
    topics: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What makes two archives one session: who was talked to, and the session's id there."""
        return (self.agent, self.session_id)

    @property
    def start(self) -> float:
        """When it began, in seconds since 1970; 0 where no archive says."""
        return self.date.timestamp() if self.date is not None else 0.0

    @property
    def end(self) -> float:
        """When its last turn was said, to the unit of `duration`, in seconds since 1970."""
        return self.start + parse_duration(self.duration)


def key_of(head: Head, number: int) -> tuple[str, str]:
    """The session that an archive belongs to; a file that names none is a session of its own."""
    return (head.session.agent, head.session.id or f"conversation-{number:03d}")


def rows(heads: Iterable[tuple[int, Head]]) -> list[SessionRow]:
    """A row for each session, in the order of their first archives."""
    grouped: dict[tuple[str, str], list[tuple[int, Head]]] = {}
    for number, head in heads:
        grouped.setdefault(key_of(head, number), []).append((number, head))
    return [row(parts) for parts in grouped.values()]


def row(parts: list[tuple[int, Head]]) -> SessionRow:
    """The row of one session from the heads of all its archives, by number."""
    parts = sorted(parts, key=lambda part: part[0])
    last_number, last = parts[-1]
    agent, session_id = key_of(last, last_number)
    date = min((head.date for _, head in parts if head.date is not None), default=None)
    return SessionRow(
        parts=tuple(number for number, _ in parts),
        date=date.replace(microsecond=0) if date else None,
        session_id=session_id,
        agent=agent,
        project=last.project,
        messages=sum(head.messages for _, head in parts),
        duration=format_duration(_span(parts, last.digest)),
        topics=last.digest.topics,
    )


def _span(parts: list[tuple[int, Head]], digest: Digest) -> float:
    if digest.first_at is not None and digest.last_at is not None:
        return (digest.last_at - digest.first_at).total_seconds()
    # In seconds, because a date of a foreign file may lie at the end of the calendar.
    starts = [(head.date.timestamp(), head.seconds) for _, head in parts if head.date is not None]
    return max(start + length for start, length in starts) - min(start for start, _ in starts) if starts else 0.0


def date_text(moment: datetime | None) -> str:
    """A date as the index writes it; empty for None."""
    return format_seconds(moment) if moment else ""
