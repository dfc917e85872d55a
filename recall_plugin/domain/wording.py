"""How numbers read in a sentence."""

from __future__ import annotations


def counted(count: int, word: str) -> str:
    """`1 turn`, `2 turns`. word: an English noun that takes an s."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
