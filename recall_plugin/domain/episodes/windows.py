"""Windows: what of an episode is embedded at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recall_plugin.domain.episodes.pieces import Piece, has_word
from recall_plugin.domain.episodes.tokens import estimate
from recall_plugin.domain.episodes.values import Span, Window

# By the estimate; the model takes 256 of its own, two of which it needs for itself.
WINDOW_TOKENS = 200
# A turn shorter than this often says "yes, do that": the end of what was said before it goes with it.
CONTEXT_TOKENS = 60


def grouped(pieces: Sequence[Piece], target: int, most: int) -> Iterator[list[Piece]]:
    """`pieces` in as few groups as a size of `target` gives, of about equal cost.

    target, most: tokens; no group is dearer than `most`, which is at least `target` and the dearest piece.
    """
    total = sum(piece.tokens for piece in pieces)
    share = total / max(1, -(-total // target))
    group: list[Piece] = []
    cost = spent = 0
    goal = share
    for piece in pieces:
        if group and (cost + piece.tokens > most or spent + piece.tokens / 2 > goal):
            yield group
            group, cost, goal = [], 0, goal + share
        group.append(piece)
        cost += piece.tokens
        spent += piece.tokens
    if group:
        yield group


def windows(turn: int, text: str, pieces: Sequence[Piece], context: str = "") -> Iterator[Window]:
    """The windows of a passage: all of `pieces` but stretches that hold no letter or digit.

    turn: its number, for the spans. context: what goes before the first window's own text, where there is room for it.
    """
    for group in grouped(pieces, WINDOW_TOKENS, WINDOW_TOKENS):
        start, end = group[0].start, group[-1].end
        if not has_word(text, start, end):
            continue
        own = text[start:end]
        if context and sum(piece.tokens for piece in group) + estimate(context) <= WINDOW_TOKENS:
            own = f"{context}\n{own}"
        context = ""
        yield Window(own, Span(turn, start, end))


def last_sentences(text: str, pieces: Sequence[Piece], limit: int) -> str:
    """The whole sentences at the end of a passage that cost at most `limit` tokens together; "" where none fits.

    pieces: all of the passage, at least one.
    """
    start = end = pieces[-1].end
    for piece in reversed(pieces):
        limit -= piece.tokens
        if limit < 0:
            break
        start = piece.start
    return text[start:end]
