"""Vectors made from the digests of texts, and a file that keeps them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recall_plugin.graph.embedding.identity import ModelIdentity
from recall_plugin.graph.vectors import VectorFile, digest

MODEL = ModelIdentity("model", "ab" * 32)
DIMENSION = 8


def vector(key: bytes, dimension: int = DIMENSION) -> np.ndarray:
    """A unit vector that depends on nothing but the digest."""
    row = np.random.default_rng(int.from_bytes(key, "big")).standard_normal(dimension)
    return (row / np.linalg.norm(row)).astype(np.float32)


def vectors(keys: Sequence[bytes]) -> np.ndarray:
    return np.stack([vector(key) for key in keys]) if keys else np.empty((0, DIMENSION), np.float32)


def keys_of(*texts: str) -> list[bytes]:
    return [digest(text) for text in texts]


def open_file(folder: Path, identity: ModelIdentity = MODEL, dimension: int = DIMENSION) -> VectorFile:
    return VectorFile.open(folder, identity, dimension)


def add_without_end(folder: Path) -> None:
    """Adds the digests of "0", "1", … and prints how many are there after each flush."""
    file = open_file(folder)
    print("ready", flush=True)
    while True:
        first = len(file)
        keys = keys_of(*map(str, range(first, first + 7)))
        file.add(keys, vectors(keys))
        if first % 2:
            file.flush()
            print(len(file), flush=True)


if __name__ == "__main__":
    add_without_end(Path(sys.argv[1]))
