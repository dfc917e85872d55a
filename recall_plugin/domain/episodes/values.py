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

    text: what is embedded; it may begin with context that is not the span's own.
    span: the passage that the window stands for.
    """

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Chunk:
    """An episode as the chunker makes it: about 500 tokens, cut at turn boundaries where turns allow.

    index: its place in the archive, counted from 0.
    text: what was said, the turns separated by blank lines, each headed by nothing: `spans` say whose each part is.
    spans: the parts of turns that it consists of, in order, at least one; `text` is exactly these, joined by "\\n\\n".
    provenance: the class of its turns; of a mixed chunk, the agent's.
    time: when its first turn was said; None where no turn of it has a time.
    windows: at least one; their spans lie in `spans`.
    """

    index: int
    text: str
    spans: tuple[Span, ...]
    provenance: Provenance
    time: datetime | None
    windows: tuple[Window, ...]
