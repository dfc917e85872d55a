"""What an adapter hands over: a session, its turns as a stream, and an account of what it had to skip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from recall_plugin.domain.conversation import Conversation, Session, Turn


@dataclass(slots=True)
class ReadReport:
    """What reading a transcript came to. Complete once the turns are exhausted.

    size: bytes of the file.
    skipped_lines: lines that are no JSON object, a torn last line included; blank lines are not counted.
    unknown_types: record types that this reader does not know, with how often each came.
    started_at: what the file itself says of its beginning, for turns without times.
    inherited: ids of turns that a fork copied from its parent; inherited_from: the parent's session id, if known.
    warnings: sentences for the person; never empty when a sizeable file gave no user turn.
    """

    size: int = 0
    skipped_lines: int = 0
    unknown_types: Counter[str] = field(default_factory=Counter)
    inherited: set[str] = field(default_factory=set)
    inherited_from: str = ""
    title: str = ""
    started_at: datetime | None = None
    warnings: list[str] = field(default_factory=list)


class Transcript(Protocol):
    """A session's turns from wherever they come. They can be read again from the start, each time in bounded memory."""

    @property
    def session(self) -> Session:
        """Known before the turns are read."""

    @property
    def report(self) -> ReadReport:
        """Of the latest reading."""

    def turns(self) -> Iterator[Turn]:
        """Every turn in order, inherited ones included; each id once."""


class GivenTranscript:
    """A conversation already in memory, as a Transcript."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._report = ReadReport()

    @property
    def session(self) -> Session:
        return self._conversation.session

    @property
    def report(self) -> ReadReport:
        return self._report

    def turns(self) -> Iterator[Turn]:
        return iter(self._conversation.turns)
