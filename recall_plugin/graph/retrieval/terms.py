"""Terms: under which names the words of passages and of queries are filed, in any script.

The rules are those of `domain.matching.query`, so that a question finds here what it finds in the archives: other
forms of an English word, the parts of an identifier, overlapping pairs of a script without spaces. An index knows no
prefixes, so a word of an alphabet whose endings are not known here is filed by its first letters, too.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from recall_plugin.domain.matching.query import query_terms
from recall_plugin.domain.text.folding import fold
from recall_plugin.domain.text.scripts import UNSPACED_RUN
from recall_plugin.domain.text.words import token_pattern

_JOINT = re.compile(r"[._/@:-]+")
_OTHER_ALPHABET = re.compile(r"[\u0370-\u1dff]")
_BEGINNING = 4  # letters
_BEGINNING_WEIGHT = 0.4  # of what a word itself weighs: it finds other forms, and words that only begin alike
_LONGEST_WORD = 64  # longer ones are data, of which no other form is looked for


def passage_terms(text: str) -> dict[str, int]:
    """The terms of a passage, each with how often it occurs. Linear in the length of `text`."""
    folded = fold(text)
    counts: dict[str, int] = {}
    for run in UNSPACED_RUN.findall(folded):
        for term in _pieces(run):
            counts[term] = counts.get(term, 0) + 1
    for word in token_pattern(folded).findall(folded):
        for term in _filed(word):
            counts[term] = counts.get(term, 0) + 1
    return counts


def searched_terms(query: str) -> dict[str, float]:
    """The terms that a query looks for, with weights in (0, 1]; at most 128 terms of its first 4096 characters."""
    weights: dict[str, float] = {}
    for term in query_terms(query):
        if not term.whole:
            found = {term.text: term.weight}
        else:
            found = {canonical(term.text): term.weight}
            if beginning := _beginning(term.text):
                found[beginning] = term.weight * _BEGINNING_WEIGHT
        for name, weight in found.items():
            weights[name] = max(weight, weights.get(name, 0.0))
    return weights


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """The same number for the same term on every machine, in [0, 2**64).

    Two terms of a million share one with a probability of 3e-8; they would then count as one word.
    """
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


@lru_cache(maxsize=1 << 16)
def canonical(word: str) -> str:
    """What all forms of a word share: `deploy` for `deployed`, `choice` for `chose`. word: folded."""
    if len(word) > _LONGEST_WORD or _JOINT.search(word):
        return word
    known = query_terms(word)
    return min(known[0].stems) if len(known) == 1 and not _OTHER_ALPHABET.match(word) else word


@lru_cache(maxsize=1 << 15)
def _filed(word: str) -> tuple[str, ...]:
    bare = word.removesuffix("'s")
    if len(bare) > _LONGEST_WORD:
        return (bare,)
    parts = [part for part in _JOINT.split(bare) if part]
    names = [canonical(bare)]
    for part in parts:
        if part != bare:
            names.append(canonical(part))
        if beginning := _beginning(part):
            names.append(beginning)
    return tuple(names)


def _beginning(word: str) -> str:
    # The star stands in no word, so that a beginning is no word of its own.
    return word[:_BEGINNING] + "*" if len(word) > _BEGINNING and _OTHER_ALPHABET.match(word) else ""


def _pieces(run: str) -> list[str]:
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return [*pairs, *run]
