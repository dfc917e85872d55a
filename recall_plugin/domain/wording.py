"""How numbers read in a sentence."""

from __future__ import annotations


def counted(count: int, word: str, plural: str = "") -> str:
    """`1 turn`, `2 turns`. plural: where it is not the word and an s."""
    return f"{count} {word}" if count == 1 else f"{count} {plural or f'{word}s'}"
