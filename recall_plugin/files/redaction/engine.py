"""The rounds: what was found is replaced by markers, and what is left is looked at again until nothing is found."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from recall_plugin.files.redaction import token_rules
from recall_plugin.files.redaction.finders import FINDERS
from recall_plugin.files.redaction.seen import RUN_TABLE, Span, Text
from recall_plugin.files.redaction.tokens import tokens


def _ranks() -> dict[str, int]:
    """Every kind has its rank: where finds overlap, the lowest rank names the whole."""
    order = [*token_rules.FIRST_KINDS, *(rule.kind for rule in token_rules.TOKEN_RULES), *token_rules.OTHER_KINDS]
    order += [kind for _, kind in token_rules.KIND_BY_NAME]
    first = dict.fromkeys(kind for kind in order if kind not in token_rules.LAST_KINDS)
    return {kind: rank for rank, kind in enumerate((*first, *token_rules.LAST_KINDS))}


_RANK = _ranks()
KINDS = frozenset(_RANK)
"""Every word that a marker may carry. Brackets with any other word are ordinary text, and no hiding place."""
_ROUNDS = 8


@cache
def _marker() -> re.Pattern[str]:
    return re.compile(r"\[redacted: (?:" + "|".join(sorted(_RANK)) + r")\]")


def redact(text: str) -> str:
    """The text with each secret in it replaced by `[redacted: KIND]`; a text without secrets comes back as it is."""
    return redact_counted(text)[0]


def redact_counted(text: str) -> tuple[str, Counter[str]]:
    """The redacted text, and how many markers of each kind this call put into it."""
    counts: Counter[str] = Counter()
    if "[redacted: " not in text:
        return _redacted(text, counts), counts
    out: list[str] = []
    end = 0
    for marker in _marker().finditer(text):
        out += (_redacted(text[end : marker.start()], counts), marker.group())
        end = marker.end()
    out.append(_redacted(text[end:], counts))
    return "".join(out), counts


def _redacted(text: str, counts: Counter[str]) -> str:
    """The stretch, redacted until nothing more is found: what is left between two markers is found clean on its own.

    That makes redaction idempotent whatever the rules are. A stretch that keeps yielding goes as a whole.
    """
    out: list[str] = []
    todo = [(text, 0)]
    while todo:
        stretch, rounds = todo.pop()
        if rounds < 0:  # a marker that waits for its turn
            out.append(stretch)
            continue
        spans = _merged(_spans(stretch)) if len(stretch) > 2 else []
        if not spans:
            out.append(stretch)
            continue
        if rounds >= _ROUNDS:
            spans = [Span(0, len(stretch), "secret-value")]
        parts: list[tuple[str, int]] = []
        end = 0
        for span in spans:
            counts[span.kind] += 1
            parts += ((stretch[end : span.start], rounds + 1), (f"[redacted: {span.kind}]", -1))
            end = span.end
        parts.append((stretch[end:], rounds + 1))
        todo += reversed(parts)
    return "".join(out)


def _merged(spans: list[Span]) -> list[Span]:
    """The spans in order, those that overlap made one, named by the kind of the lowest rank."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = min(last.kind, span.kind, key=_RANK.__getitem__)
            merged[-1] = Span(last.start, max(last.end, span.end), kind)
        elif span.end > span.start:
            merged.append(span)
    return merged


def _spans(text: str) -> list[Span]:
    raw = text.encode("latin-1", "replace")
    seen = Text(text, raw, raw.lower(), raw.translate(RUN_TABLE))
    spans = list(tokens(seen))
    for word, finder in FINDERS:
        at = seen.low.find(word)
        if at >= 0:
            spans += finder(seen, word, at)
    return spans
