"""Archive search: lines that hold what was asked for, or passages by relevance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recall_plugin.domain.conversation import Role, Turn
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.matching.ranking import fold, rank
from recall_plugin.domain.text.sentences import sentence_spans
from recall_plugin.errors import LayoutError
from recall_plugin.files import conversations

_EXCERPT_CHARS = 400
CUT = "[…]"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a text comes from: the archive, and the turn in it, counted from 1."""

    number: int
    path: Path
    turn: int
    role: Role
    time: datetime | None
    tool: str = ""


@dataclass(frozen=True, slots=True)
class LineHit:
    """A line that matched, with the lines of the same turn around it."""

    source: Source
    line: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A turn by relevance. score: BM25's, comparable within one search only. excerpt: whole sentences, cuts marked."""

    source: Source
    score: float
    excerpt: str


@dataclass(frozen=True, slots=True)
class Unread:
    """An archive that could not be searched, and why."""

    number: int
    reason: str


class ArchiveSearch:
    """One search through all archives of a memory. unread: the archives that could not be read, known afterwards."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.unread: list[Unread] = []

    def lines(self, query: str, *, context: int, limit: int) -> list[LineHit]:
        """The lines that hold `query`, or all of its words, newest archive first.

        Case, width and the composition of accents do not matter. context: lines before and after, at least 0.
        limit: hits at the most, at least 1.
        """
        phrase = fold(query).strip()
        words = phrase.split()
        if not words:
            return []
        hits: list[LineHit] = []
        for source, turn in self._turns(newest_first=True):
            folded = fold(turn.text)
            if not all(word in folded for word in words):
                continue
            hits += _line_hits(source, turn.text, phrase, words, context)
            if len(hits) >= limit:
                return hits[:limit]
        return hits

    def passages(self, query: str, *, limit: int) -> list[PassageHit]:
        """The turns that tell most about `query`, best first; no word of it is demanded. limit: at least 1."""
        texts = (((source.number, source.turn), turn.text) for source, turn in self._turns(newest_first=False))
        ranked = rank(query, texts, limit)
        wanted = dict(ranked)
        found = {
            (source.number, source.turn): (source, turn.text)
            for source, turn in self._turns(newest_first=False, only={number for number, _ in wanted})
            if (source.number, source.turn) in wanted
        }
        return [
            PassageHit(found[key][0], score, excerpt(found[key][1], query)) for key, score in ranked if key in found
        ]

    def _turns(self, *, newest_first: bool, only: set[int] | None = None) -> Iterator[tuple[Source, Turn]]:
        numbers = conversations.numbers(self._layout)
        for number in reversed(numbers) if newest_first else numbers:
            if only is not None and number not in only:
                continue
            path = self._layout.conversation(number)
            try:
                with conversations.opened(path) as reader:
                    for position, turn in enumerate(reader.turns(), 1):
                        tool = turn.tool.name if turn.tool else ""
                        yield Source(number, path, position, turn.role, turn.time, tool), turn
            except LayoutError as error:
                if number not in {unread.number for unread in self.unread}:
                    self.unread.append(Unread(number, error.reason))


def excerpt(text: str, query: str, limit: int = _EXCERPT_CHARS) -> str:
    """The whole sentences of `text` around what `query` asks for, about `limit` characters, each cut marked."""
    if len(text) <= limit:
        return text
    spans = sentence_spans(text)
    sentences = [text[start:end] for start, end in spans]
    best = rank(query, enumerate(sentences), 1)
    first = last = best[0][0] if best else 0
    while True:
        before = spans[last][1] - spans[first - 1][0] if first > 0 else limit + 1
        after = spans[last + 1][1] - spans[first][0] if last + 1 < len(spans) else limit + 1
        if min(before, after) > limit:
            break
        if after <= before:
            last += 1
        else:
            first -= 1
    shown = text[spans[first][0] : spans[last][1]].strip()
    return " ".join(part for part in (CUT if first else "", shown, CUT if last + 1 < len(spans) else "") if part)


def _line_hits(source: Source, text: str, phrase: str, words: list[str], context: int) -> Iterator[LineHit]:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        folded = fold(line)
        if phrase in folded or all(word in folded for word in words):
            before = tuple(lines[max(number - context, 0) : number])
            yield LineHit(source, line, before, tuple(lines[number + 1 : number + 1 + context]))
