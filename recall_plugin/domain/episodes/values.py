"""An episode and its windows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recall_plugin.domain.belief.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Span:
    """A part of one turn's text.

    turn: its place in the archive, counted from 1. start, end: characters of its text, the end excluded.
    """

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Window:
    """What is embedded at a time: at most 200 tokens by the chunker's estimate.

    text: what is embedded: the span's own text, and before it, where that is short, a line of context: the end of what
        was said before.
    span: the passage that the window stands for, within one turn.
    """

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Chunk:
    """An episode as the chunker makes it: about 500 tokens, cut at turn boundaries where turns allow.

    index: its place in the archive, counted from 0.
    text: what was said: exactly the texts of `spans`, joined by blank lines.
    spans: the parts of turns that it consists of, in order, at least one, without white space at their ends.
    provenance: the class of its turns; of a mixed chunk, the agent's.
    time: when its first turn was said; None where no turn of it has a time.
    windows: at least one, in order; their spans are disjoint and lie in `spans`. What holds no word has none.
    """

    index: int
    text: str
    spans: tuple[Span, ...]
    provenance: Provenance
    time: datetime | None
    windows: tuple[Window, ...]
