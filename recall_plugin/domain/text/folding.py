"""Folding: what stays of a text when case, accents and forms of writing are left out of account."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
# Characters that fold to themselves and never join the one before: the bulk of most scripts (a test tries them all).
_STABLE = (
    "\u0430-\u045f\u05d0-\u05ea\u061b-\u064a\u0904-\u0939\u0964-\u0980\u0e01-\u0e30\u10d0-\u10fa\u2013-\u2016\u201c-\u201e"
    "\u2020-\u2023\u2190-\u222b\u2231-\u2328\u24eb-\u2a0b\u3001-\u3029\u3041-\u3096\u30a0-\u30fe\u3400-\ua48c\uac00-\ud7a3"
    "\U0001f300-\U0001f6d7\U0001f900-\U0001fa53\U00020000-\U0002a6df"
)
# Characters that change, but never join the one before them: a run of them is folded by itself.
_SEPARATE = "\u00a0-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2000-\u20cf\u2100-\u218f\uff01-\uff60"
_FOREIGN = re.compile(rf"[^\x00-\x7f{_STABLE}]+")
_MAY_JOIN = re.compile(rf"[^\x00-\x7f{_STABLE}{_SEPARATE}]")
# Where some may join, the character before belongs to the run; nothing about folding reaches further.
_FOREIGN_AND_BEFORE = re.compile(rf"[^\n]?[^\x00-\x7f{_STABLE}]+")
# The most frequent of the others in prose, one for one: replacing them is much quicker than looking at each.
_MARKS_OF_PROSE = tuple(zip("，：（）！？；’‘\u00a0…", [*",:()!?;'' ", "..."], strict=True))
_LETTERS_OF_PROSE = tuple(zip("äöüßéèàáíóçñ", ["a", "o", "u", "ss", *"eeaaiocn"], strict=True))
_MAY_BE_MARKED = re.compile(rf"[\u00c0-\u024f\u1e00-\u1eff\u2c60-\u2c7f{_MARKS}]")
_MARKED_LATIN = re.compile(rf"([a-z\u00df-\u024f\u0250-\u02af])[{_MARKS}]+")
# Letters whose stroke is no accent to Unicode, and the marks that keyboards and editors set for ' and -.
_PLAIN = str.maketrans("øłđħŧı’‘ʼ‐", "oldhti'''-")


def fold(text: str) -> str:
    """`text` as it is compared: compatibility forms and case are gone, and so are the accents of Latin letters.

    `Zoë` composed or decomposed, `ZOE` and the full-width `Ｚｏｅ` fold alike, and so do `'` and `’`; `й` stays apart
    from `и`. Folding again changes nothing. Lines stay lines: `fold(a + "\\n" + b) == fold(a) + "\\n" + fold(b)`.
    """
    if text.isascii():
        return text.lower()
    for character, plain in _MARKS_OF_PROSE:
        text = text.replace(character, plain)
    if _MAY_JOIN.search(text):
        return _FOREIGN_AND_BEFORE.sub(_fold_run, text).lower()
    for character, plain in _LETTERS_OF_PROSE:
        text = text.replace(character, plain)
    return _FOREIGN.sub(_fold_run, text).lower()


def _fold_run(match: re.Match[str]) -> str:
    run = match.group()
    return _fold_short(run) if len(run) <= 16 else _fold_foreign(run)


def _fold_foreign(run: str) -> str:
    # Case folding and compatibility forms uncover each other; three rounds settle every character of Unicode.
    for _ in range(4):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
        if _MAY_BE_MARKED.search(folded):
            folded = unicodedata.normalize("NFC", _MARKED_LATIN.sub(r"\1", unicodedata.normalize("NFD", folded)))
        folded = folded.translate(_PLAIN)
        if folded == run:
            break
        run = folded
    return run


_fold_short = lru_cache(maxsize=4096)(_fold_foreign)
