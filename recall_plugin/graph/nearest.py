"""What is nearest to a query, exactly."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from recall_plugin.graph.vectors import VectorFile

# 12 MB of chosen rows at 384 dimensions, which are copied; rows in a piece are not.
_BLOCK = 8192


class Near(NamedTuple):
    """A text by its digest (16 bytes), and the cosine between it and the query, -1 to 1."""

    digest: bytes
    cosine: float


class VectorIndex(Protocol):
    """Whatever finds the texts nearest to a query: exactly, or by a server's approximation."""

    async def search(self, query: NDArray[np.float32], k: int, among: Collection[bytes] | None = None) -> list[Near]:
        """At most `k` texts, the nearest first. query: unit vector (d,). among: digests that may be found; None for
        all; those that the index does not hold are passed over.
        """
        ...


class ExactIndex:
    """A `VectorIndex` that looks at every vector of a file."""

    def __init__(self, vectors: VectorFile) -> None:
        self._vectors = vectors

    async def search(self, query: NDArray[np.float32], k: int, among: Collection[bytes] | None = None) -> list[Near]:
        """The `k` nearest texts, ties in the order in which they were added; a longer answer begins as a shorter one.

        150,000 vectors of 384 dimensions take about 20 ms, in a thread.
        """
        matrix = self._vectors.matrix
        rows = None if among is None else self._vectors.rows(list(among))
        if rows is not None:
            rows = rows[(rows >= 0) & (rows < len(matrix))]
        found, cosines = await asyncio.to_thread(top, matrix, query, k, rows)
        return [
            Near(self._vectors.digest_at(row), cosine)
            for row, cosine in zip(found.tolist(), cosines.tolist(), strict=True)
        ]


def top(
    matrix: NDArray[np.float32], query: NDArray[np.float32], k: int, rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The at most `k` rows nearest to `query` and their cosines, float32: the nearest first, ties by row.

    A row's cosine depends on nothing but that row and the query, so a longer answer begins with a shorter one, and
    choosing among fewer rows changes nobody's cosine. Memory goes with the number of rows, not with their size.
    matrix: unit rows, float32 (n, d). query: float32 (d,), of length 1. rows: to choose among, in any order; None for
    all. Raises ValueError for a query of another dimension or not finite; IndexError for rows that do not exist.
    """
    if query.shape != matrix.shape[1:] or not np.isfinite(query).all():
        raise ValueError(f"a query is a finite vector of {matrix.shape[1:]}, not {query.shape}")
    chosen = None if rows is None else np.unique(rows)
    count = len(matrix) if chosen is None else len(chosen)
    if chosen is not None and count and not 0 <= int(chosen[0]) <= int(chosen[-1]) < len(matrix):
        raise IndexError(f"rows {int(chosen[0])} to {int(chosen[-1])} of {len(matrix)}")
    cosines = np.empty(count, np.float32)
    for start in range(0, count, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = matrix[part] if chosen is None else matrix[chosen[part]]
        # Not `@`: how that sums up a row depends on where in the block it stands.
        np.einsum("ij,j->i", block, query, out=cosines[part])
    np.nan_to_num(cosines, copy=False, nan=-1.0)  # of a file that was damaged; it would hide what is near
    np.clip(cosines, -1, 1, out=cosines)
    places = _largest(cosines, k)
    return (places if chosen is None else chosen[places]), cosines[places]


def _largest(values: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The places of the `k` largest values, the largest first, equal ones by place."""
    places = np.arange(len(values))
    if k < len(values):
        threshold = np.partition(values, len(values) - k)[len(values) - k] if k > 0 else np.inf
        places = np.flatnonzero(values >= threshold)
    return places[np.lexsort((places, -values[places]))][: max(k, 0)]
