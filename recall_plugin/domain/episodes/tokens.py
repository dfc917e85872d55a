"""How many tokens a text costs the embedding model, estimated without its tokenizer.

The estimate stands for the BERT uncased wordpiece tokenizer and errs upwards: English comes out about a third too
dear, other languages, code, digests and base64 by less. The model cuts at 256 tokens, so a text of 200 by the estimate
may be 27 % dearer than it says before anything is lost; figures of real texts stand in the tests.
"""

from __future__ import annotations

import re
from functools import lru_cache

# A run is bounded so that a word of megabytes is never looked at as one.
_LONGEST_RUN = 24
_UPPER = "A-Z\u00c0-\u00de"
_LOWER = "a-z\u00df-\u024f\u1e00-\u1eff"
_RUN = re.compile(
    rf"[{_UPPER}]?[{_LOWER}]{{1,{_LONGEST_RUN}}}|[{_UPPER}]{{1,{_LONGEST_RUN}}}|[0-9]{{1,{_LONGEST_RUN}}}|\S"
)
_LATIN = re.compile(rf"[{_UPPER}{_LOWER}]")
_RARE = re.compile(r"[^a-z]|[jkqvwxz]")
_CONSONANTS = re.compile(r"(?=[bcdfghjklmnpqrstvwxz]{3})")
# Costs are counted in whole tenths of a token: sums of them do not depend on the order.
_UNIT = 10


def estimate(text: str) -> int:
    """The tokens of `text`: 0 for white space, at least 1 for anything else. Linear in its length."""
    return -(-sum(map(_cost, _RUN.findall(text))) // _UNIT)


def longest_prefix(text: str, start: int, limit: int) -> int:
    """The end of the longest part of `text` from `start` that costs at most `limit` tokens, the text's end included.

    Cut between two runs of like characters. Takes time linear in that part. limit: at least 40, dearer than any run.
    """
    room = limit * _UNIT
    end = start
    for run in _RUN.finditer(text, start):
        room -= _cost(run.group())
        if room < 0:
            return end
        end = run.end()
    return len(text)


@lru_cache(maxsize=1 << 15)
def _cost(run: str) -> int:
    """Tenths of tokens of one run. The tokenizer knows most English words whole; the rarer the letters and the more
    consonants in a row, the smaller the pieces into which it breaks a word.
    """
    size = len(run)
    first = run[0]
    if "0" <= first <= "9":
        return (size + 1) // 2 * _UNIT
    if "\uac00" <= first <= "\ud7a3":
        # A syllable is taken apart into its letters: two where the last one is missing, else three.
        return (2 if (ord(first) - 0xAC00) % 28 == 0 else 3) * _UNIT
    if not _LATIN.match(first) or size < 3:
        return _UNIT
    word = run.lower()
    unusual = len(_RARE.findall(word)) + len(_CONSONANTS.findall(word))
    return max(_UNIT, size * 28 // 10) + unusual * 6
