"""Passages: what is shown of a long text, in whole sentences, with every cut marked."""

from __future__ import annotations

from collections.abc import Sequence

from recall_plugin.domain.episodes.pieces import has_word
from recall_plugin.domain.text.sentences import sentence_spans

CUT = "[…]"


def excerpt(text: str, start: int, end: int, limit: int) -> str:
    """The whole sentences of `text` that hold what stands from `start` to `end`, and those around it as far as fits.

    Beside the marks it is at most `limit` characters long. Sentences that are longer are cut between words, as evenly
    around what is asked for as words allow; that itself is cut only if it alone is longer. Wherever a word is
    left out stands "[…]". No sentence is looked for further away than `limit`. limit: at least 1.
    """
    if len(text) <= limit:
        return text.strip()
    end = min(max(end, start), start + limit)
    # What begins or ends further away cannot be shown whole.
    low, high = max(0, start - limit - 1), min(len(text), end + limit + 1)
    spans = [(low + first, low + last) for first, last in sentence_spans(text[low:high])]
    torn = [*(spans[:1] if low > 0 else []), *(spans[-1:] if high < len(text) else [])]
    whole = [span for span in spans if span not in torn]
    asked = [at for at, (first, last) in enumerate(whole) if last > start and first < end]
    if asked and not any(last > start and first < end for first, last in torn):
        first, last = grown(whole, asked[0], asked[-1], limit)
        begin, stop = min(start, whole[first][0]), max(end, whole[last][1])
        if stop - begin <= limit:
            return _marked(text, begin, stop)
    return _marked(text, *_between_words(text, start, end, limit))


def grown(spans: Sequence[tuple[int, int]], first: int, last: int, limit: int) -> tuple[int, int]:
    """The first and the last of the spans around those given that keep within `limit` together, the nearest ones first.

    spans: in order, disjoint. Where `first` to `last` are longer than `limit` already, they stay.
    """
    while True:
        before = spans[last][1] - spans[first - 1][0] if first > 0 else limit + 1
        after = spans[last + 1][1] - spans[first][0] if last + 1 < len(spans) else limit + 1
        if min(before, after) > limit:
            return first, last
        if after <= before:
            last += 1
        else:
            first -= 1


def _between_words(text: str, start: int, end: int, limit: int) -> tuple[int, int]:
    """A part of `text` around the one given, at most `limit` long, cut between words where there are any near."""
    room = (limit - (end - start)) // 2
    low, high = max(0, start - room), min(len(text), end + room)
    if low > 0:
        low = next((at for at in range(low, start) if text[at - 1].isspace()), low)
    if high < len(text):
        high = next((at for at in range(high, end, -1) if text[at].isspace()), high)
    return low, high


def _marked(text: str, start: int, end: int) -> str:
    before = CUT if has_word(text, 0, start) else ""
    after = CUT if has_word(text, end) else ""
    return " ".join(part for part in (before, text[start:end].strip(), after) if part)
