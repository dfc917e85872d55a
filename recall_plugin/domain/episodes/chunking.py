"""The chunker: an archive's turns in episodes.

It asks no tokenizer and no clock, so the same turns give the same episodes for ever; a change of its rules, of the
estimate or of the sentences it cuts at makes it another version, and the episodes of an older one are made again.

The rules. A turn is taken whole, or, where it costs more than `WHOLE_TURN_TOKENS`, in parts of about `TARGET_TOKENS`
that are cut at the ends of its sentences. One after the other they join the episode at hand, which is closed before
the next one when it

- has its target, or the next one would make it dearer than `MOST_TOKENS`;
- is of one class, and the next one of another;
- is mixed, and the next one of another class than the agent's can stand alone, or the episode has half its target.

But nothing closes an episode that is a fragment, of fewer than `FRAGMENT_TOKENS`: a question of ten words goes with
its answer, and makes it a mixed episode, which is the agent's; a prompt of some sentences stands apart. A fragment that
is left at the end goes with the episode before it, where both fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Role, Turn
from recall_plugin.domain.episodes.pieces import Piece, has_word, is_blank, pieces, visible
from recall_plugin.domain.episodes.values import Chunk, Span, Window
from recall_plugin.domain.episodes.windows import CONTEXT_TOKENS, WINDOW_TOKENS, grouped, last_sentences, windows

CHUNKER_VERSION = 1

# By the estimate of `tokens`.
TARGET_TOKENS = 500
MOST_TOKENS = 650
FRAGMENT_TOKENS = 60
# So that a fragment has room for whatever comes next.
WHOLE_TURN_TOKENS = MOST_TOKENS - FRAGMENT_TOKENS


@dataclass(frozen=True, slots=True)
class _Part:
    """A turn, or a part of one that is too long for an episode."""

    tokens: int
    provenance: Provenance
    time: datetime | None
    texts: tuple[str, ...]
    windows: tuple[Window, ...]
    spans: tuple[Span, ...]


@dataclass(slots=True)
class _Episode:
    """An episode being made."""

    parts: list[_Part] = field(default_factory=list)
    tokens: int = 0

    def add(self, *parts: _Part) -> None:
        self.parts += parts
        self.tokens += sum(part.tokens for part in parts)

    @property
    def is_mixed(self) -> bool:
        return len({part.provenance for part in self.parts}) > 1

    @property
    def provenance(self) -> Provenance:
        return Provenance.SELF if self.is_mixed else self.parts[0].provenance

    @property
    def is_fragment(self) -> bool:
        return self.tokens < FRAGMENT_TOKENS

    def closes_before(self, part: _Part) -> bool:
        if self.is_fragment:
            return False
        if self.tokens >= TARGET_TOKENS or self.tokens + part.tokens > MOST_TOKENS:
            return True
        if part.provenance is self.provenance:
            return False
        return not self.is_mixed or part.tokens >= FRAGMENT_TOKENS or self.tokens >= TARGET_TOKENS // 2

    def chunk(self, index: int) -> Chunk:
        return Chunk(
            index,
            "\n\n".join(text for part in self.parts for text in part.texts),
            tuple(span for part in self.parts for span in part.spans),
            self.provenance,
            next((part.time for part in self.parts if part.time is not None), None),
            tuple(window for part in self.parts for window in part.windows),
        )


def chunk(
    turns: Iterable[Turn],
    class_of: Callable[[Turn], Provenance],
    recalled: Callable[[str], Iterable[tuple[int, int]]],
    *,
    context_tokens: int = CONTEXT_TOKENS,
) -> Iterator[Chunk]:
    """The episodes of an archive, in order, by the rules above.

    Every letter and digit of the turns that is not recalled stands in exactly one span, and so does every other
    character that is not white space, but for long stretches and whole turns that hold no letter or digit. The episodes
    of the first turns alone are the same, but for their last. Takes time linear in the turns' length and memory in
    that of the longest turn.

    turns: all of an archive, from its first: a span's number is the turn's place. class_of: who authored a turn.
    recalled: the parts of a text, (start, end), that memory printed itself. context_tokens: a window of a turn that
    costs less begins with the last sentences of what was said before, of at most so many tokens; 0 for none, at most
    half of `WINDOW_TOKENS`.
    """
    index = 0
    before: _Episode | None = None
    episode = _Episode()
    for part in _parts(turns, class_of, recalled, context_tokens):
        if episode.closes_before(part):
            if before is not None:
                yield before.chunk(index)
                index += 1
            before, episode = episode, _Episode()
        episode.add(part)
    if before is not None:
        if episode.is_fragment and before.tokens + episode.tokens <= MOST_TOKENS:
            before.add(*episode.parts)
            episode = _Episode()
        yield before.chunk(index)
        index += 1
    if episode.parts:
        yield episode.chunk(index)


def _parts(
    turns: Iterable[Turn],
    class_of: Callable[[Turn], Provenance],
    recalled: Callable[[str], Iterable[tuple[int, int]]],
    context_tokens: int,
) -> Iterator[_Part]:
    said_before = ""
    for number, turn in enumerate(turns, 1):
        text = turn.text
        if not has_word(text):
            continue
        seen = list(visible(text, recalled(text)))
        if not any(has_word(text, start, end) for start, end in seen):
            continue
        found = [piece for start, end in seen for piece in pieces(text, start, end, WINDOW_TOKENS)]
        tokens = sum(piece.tokens for piece in found)
        context = said_before if tokens < context_tokens else ""
        groups = [found] if tokens <= WHOLE_TURN_TOKENS else grouped(found, TARGET_TOKENS, WHOLE_TURN_TOKENS)
        provenance = class_of(turn)
        for group in groups:
            if any(has_word(text, piece.start, piece.end) for piece in group):
                yield _part(number, turn, provenance, group, context)
        if turn.role is not Role.TOOL and context_tokens:
            said_before = last_sentences(text, _passages(text, found)[-1], context_tokens)


def _part(number: int, turn: Turn, provenance: Provenance, group: list[Piece], context: str) -> _Part:
    text = turn.text
    passages = _passages(text, group)
    spans = tuple(Span(number, passage[0].start, passage[-1].end) for passage in passages)
    found = list(windows(number, text, passages[0], context))
    for passage in passages[1:]:
        found += windows(number, text, passage)
    return _Part(
        sum(piece.tokens for piece in group),
        provenance,
        turn.time,
        tuple(text[span.start : span.end] for span in spans),
        tuple(found),
        spans,
    )


def _passages(text: str, group: list[Piece]) -> list[list[Piece]]:
    """The pieces of a group, apart where text stands between them that is not theirs."""
    passages = [[group[0]]]
    for piece in group[1:]:
        if is_blank(text, passages[-1][-1].end, piece.start):
            passages[-1].append(piece)
        else:
            passages.append([piece])
    return passages
