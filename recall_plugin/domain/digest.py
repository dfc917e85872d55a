"""What a session comes to, as a value. `digesting` makes it; who only reads one does not pay for that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Digest:
    """What a session comes to.

    summary: one line of two to four sentences where the session has them, at most 500 characters; empty for an empty
        session.
    topics: at most 8 words, phrases of two words or identifiers, in small letters, best first.
    decisions, action_items: at most 5 each, one line of at most 300 characters each; the person's before the agent's,
        each in the order said.
    files: the paths written without error, sorted; the first 1000 of them.
    tools: how often each was used, in the order of first use; the first 256 of them.
    first_at, last_at: the earliest and the latest time of a turn, UTC; None where no turn has one.
    """

    summary: str = ""
    topics: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    action_items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tools: tuple[tuple[str, int], ...] = ()
    user_turns: int = 0
    assistant_turns: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
