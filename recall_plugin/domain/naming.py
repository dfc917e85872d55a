"""Names of entities: when two are the same, how one is shown, and which known ones a misspelt one may mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

from recall_plugin.domain.conversation import clean_text

NAME_CHARS = 200

# Formatting marks, fillers and variation selectors: a name looks the same with them and without.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# In a name that is shown they may matter: joiners shape Persian and Indic words, and selectors choose an emoji's form.
_SHAPING = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_ROUNDS = 8

_CANDIDATES = 64
_CLOSE_FROM = 0.6
_CONTAINED_WORDS = 0.75
_CONTAINED_CHARS = 3


def name_key(text: str) -> str:
    """The form under which names are the same: Unicode form, case, width, spacing and invisible characters are gone.

    `Zoë Brandt` composed and decomposed, `ZOË  BRANDT` and `Ｚｏë Brandt` have one key. Everything else tells names
    apart: accents, digits, versions and punctuation (`C`, `C++` and `C#`; `.NET` and `NET`). Empty for a blank text.
    The key of a key is itself.
    """
    key = clean_text(text)
    if key.isascii():
        return " ".join(key.lower().split())
    # Case folding, compatibility forms and removals uncover each other; a few rounds settle every character of Unicode.
    for _ in range(_ROUNDS):
        # Removed first: a mark that an invisible character kept apart finds its place among the others.
        folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", key)).casefold()
        folded = unicodedata.normalize("NFKC", folded)
        folded = " ".join(folded.split())
        if folded == key:
            break
        key = folded
    return key


def clean_name(text: str) -> str:
    """A name as it is shown: composed (NFC), on one line, single spaces, no control and no invisible characters.

    Joiners and variation selectors stay, because they shape what is seen. Raises ValueError, with the reason, for a
    name that shows nothing and for one of more than 200 characters.
    """
    visible = _INVISIBLE.sub(lambda mark: mark[0] if _SHAPING.match(mark[0]) else "", clean_text(text))
    name = " ".join(unicodedata.normalize("NFC", visible).split())
    if len(name) > NAME_CHARS:
        raise ValueError(f"a name has at most {NAME_CHARS} characters, and this one has {len(name)}: {name[:40]}…")
    if not name_key(name):
        raise ValueError("a name has at least one visible character")
    return name


def suggestions(wanted: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The names among `known` that are most like `wanted`, the closest first, equally close ones by name.

    Two names are close when difflib finds a ratio of 0.6 between their keys, or when one contains the other (3
    characters at least). Only the 64 names that share the most pairs of neighbouring characters with `wanted` are
    compared so, and of every name the first 200 characters: time grows with the number of names and no faster.
    """
    wanted_key = name_key(wanted[:NAME_CHARS])
    wanted_pairs = _pairs(wanted_key)
    shares = []
    for name in set(known):
        key = name_key(name[:NAME_CHARS])
        pairs = _pairs(key)
        if shared := len(wanted_pairs & pairs):
            contained = _containment(key, wanted_key)
            shares.append((contained, shared / (len(wanted_pairs) + len(pairs)), key, name))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted_key)
    close = []
    for contained, _, key, name in nlargest(_CANDIDATES, shares):
        matcher.set_seq1(key)
        likeness = max(matcher.ratio(), contained)
        if likeness >= _CLOSE_FROM:
            close.append((-likeness, name))
    return [name for _, name in sorted(close)[:limit]]


def _pairs(key: str) -> set[str]:
    """Every two neighbouring characters, the ends included, so that a name of one or two characters has some."""
    framed = f"\n{key}\n"
    return {framed[at : at + 2] for at in range(len(framed) - 1)} if key else set()


def _containment(one: str, other: str) -> float:
    """How close two keys are because one contains the other: as whole words more than within a word."""
    short, long = sorted((one, other), key=len)
    if len(short) < _CONTAINED_CHARS or short not in long:
        return 0.0
    return _CONTAINED_WORDS if f" {short} " in f" {long} " else _CLOSE_FROM
