"""Scripts: which characters make words, and which scripts write them without spaces between."""

from __future__ import annotations

import re

# Scripts that are written without spaces between words: Han, kana, Thai, Lao, Myanmar, Khmer.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fb\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# What belongs to a word: `\w`, and the vowel signs and accents that Python does not count among its letters.
WORD_CHARS = (
    r"\w\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0900-\u0963"
    r"\u0981-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff"
)

UNSPACED_CHARACTER = re.compile(rf"[{UNSPACED}]")
UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as text, with white space between."""
    return frozenset(words.split())
