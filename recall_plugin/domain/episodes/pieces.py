"""A turn's text in pieces: its sentences, and parts of those that are too long for a window."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recall_plugin.domain.episodes.tokens import estimate, longest_prefix
from recall_plugin.domain.text.sentences import sentence_spans

_NOT_BLANK = re.compile(r"\S")
_WORD = re.compile(r"[^\W_]")
_BLANK = re.compile(r"\s*+")
# Zero-width joiner and skin tones: what follows or is one belongs to the emoji before.
_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that nothing cuts any more: no white space at its ends. tokens: by the estimate, at least 1."""

    start: int
    end: int
    tokens: int


def has_word(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether the part of `text` holds a letter or a digit, in any script."""
    return _WORD.search(text, start, len(text) if end is None else end) is not None


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether the part of `text` holds nothing but white space."""
    return _NOT_BLANK.search(text, start, end) is None


def visible(text: str, hidden: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The parts of `text` outside `hidden`, in order, without those that are blank.

    hidden: (start, end) in any order; they may overlap and may reach beyond the text.
    """
    at = 0
    for start, end in [*sorted(hidden), (len(text), len(text))]:
        stop = min(start, len(text))
        if not is_blank(text, at, stop):
            yield at, stop
        at = max(at, end)


def pieces(text: str, start: int, end: int, limit: int) -> Iterator[Piece]:
    """The part of `text` from `start` to `end` in pieces of at most `limit` tokens that leave out nothing but blanks.

    A piece is a sentence with the marks before it. One that is dearer than `limit` is cut at the end of a line, else
    between words, else between characters, never before a combining mark (but a character with more marks than a piece
    can hold is cut all the same). Time is linear in the part's length. limit: as for `tokens.longest_prefix`.
    """
    part = text[start:end]
    spans = sentence_spans(part)
    # What stands between two sentences is white space and marks: it goes with the sentence that it introduces.
    ends = [stop for _, stop in spans[:-1]] + [len(part)]
    at = 0
    for stop in ends:
        sentence = _stripped(part, at, stop)
        if sentence is not None:
            for first, last in _cut(part[sentence[0] : sentence[1]], limit):
                begin = sentence[0] + first
                tokens = estimate(part[begin : sentence[0] + last])
                yield Piece(start + begin, start + sentence[0] + last, tokens)
        at = stop


def _cut(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """The parts of `text` that cost at most `limit` each, stripped. text: begins and ends with no white space."""
    at = 0
    while at < len(text):
        end = longest_prefix(text, at, limit)
        if end < len(text):
            end = _better_end(text, at, end)
        part = _stripped(text, at, end)
        if part is not None:
            yield part
        blank = _BLANK.match(text, end)
        at = blank.end() if blank else end


def _better_end(text: str, start: int, end: int) -> int:
    """Where a part of `text` that begins at `start` and may reach to `end` ends best; after `start`."""
    middle = (start + end) // 2
    line_end = text.rfind("\n", middle + 1, end + 1)
    if line_end > 0:
        return line_end
    for at in range(end, middle, -1):
        if text[at].isspace():
            return at
    for at in range(end, start, -1):
        if not _belongs_to_previous(text, at):
            return at
    return end


def _belongs_to_previous(text: str, at: int) -> bool:
    """Whether the character at `at` cannot stand without the one before it."""
    character = text[at]
    return (
        unicodedata.category(character)[0] == "M"
        or character == _JOINER
        or ord(character) in _SKIN_TONES
        or text[at - 1] == _JOINER
    )


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The part without the white space around it; None where nothing is left."""
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    stop = start + len(piece.rstrip())
    return (begin, stop) if begin < stop else None
