"""What the finders share: a text as they see it, a find, and regular expressions that compile at their first use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from recall_plugin.files.redaction import token_rules

LONGEST_GLUE = 40
LONGEST_VALUE = 4096  # this much of a value is looked at; a longer one goes with the rest of its run
LONG_VALUE = 256  # a bare value of this length that is no secret is not looked into again: time stays linear
RUN = b"a" * 20
RUN_TABLE = bytes(97 if chr(code) in f"{token_rules.LETTERS_DIGITS}_-" else 32 for code in range(256))
NAME_LETTERS = b"abcdefghijklmnopqrstuvwxyz_-"
KEY_CHARACTERS = f"{token_rules.LETTERS_DIGITS}_.-"


@cache
def rx(source: str) -> re.Pattern[str]:
    """`source`, compiled once: at its first use, so that importing stays cheap."""
    return re.compile(source)


@cache
def bytes_rx(source: bytes) -> re.Pattern[bytes]:
    """The same for bytes."""
    return re.compile(source)


class Span(NamedTuple):
    """A find: text[start:end] is a secret of this kind."""

    start: int
    end: int
    kind: str


class Text(NamedTuple):
    """One stretch of text without markers; `raw`, `low` and `runs` have one byte per character of `text`.

    raw: its Latin-1 characters, "?" for the others. low: the same in lower case.
    runs: "a" where a token character stands, else a space.
    """

    text: str
    raw: bytes
    low: bytes
    runs: bytes


def hits(low: bytes, word: bytes, at: int) -> Iterator[int]:
    """Where `word` stands in `low`, from `at`, the first place, on."""
    while at >= 0:
        yield at
        at = low.find(word, at + 1)


def is_mixed(value: str) -> bool:
    """Whether there are capitals, small letters and digits in it."""
    return bool(rx(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[^0-9]*[0-9]").match(value))


# A line break, also one that JSON or a shell has written as an escape.
NEWLINE = r"(?:\r?\n|\\{1,3}r\\{1,3}n|\\{1,3}n)"

Finder = Callable[[Text, bytes, int], Iterator[Span]]
"""Gets the text, the word that it is called for, and the word's first place; yields what it finds."""
