"""Runs of postings: for each term, the passages that hold it.

A run is one file that never changes: the hashes of its terms in ascending order, for each the place where its postings
begin, then the postings: the passages' positions, in ascending order within a term, and how often each holds the term.
Two neighbouring runs become one as soon as the older is not the bigger, so that there are never more than the logarithm
of what was added, and every posting is written as often at the most.
"""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from recall_plugin.graph.retrieval.commit import Extent, Stale, write_new
from recall_plugin.graph.retrieval.mapped import mapped
from recall_plugin.graph.retrieval.terms import term_hash

_MAGIC = 0x31304E5552505652
_HEADER = np.dtype("<u8")
_MOST_COUNTED = 255  # occurrences of a term in a passage
_S = TypeVar("_S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Run:
    """Postings. hashes: (t,) u8 ascending; starts: (t + 1,) u8; passages: (p,) u4; counts: (p,) u1, at least 1."""

    hashes: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.uint64]
    passages: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint8]

    def postings(self, hashed: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        """The passages that hold a term, ascending, and how often."""
        at = int(np.searchsorted(self.hashes, np.uint64(hashed)))
        if at == len(self.hashes) or int(self.hashes[at]) != hashed:
            return self.passages[:0], self.counts[:0]
        part = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.passages[part], self.counts[part]


def run_of(counted: Sequence[Mapping[str, int]], first: int) -> Run:
    """The run of some passages. counted: the terms of each; first: the position of the first of them."""
    sizes = [len(counts) for counts in counted]
    size = sum(sizes)
    hashes = np.fromiter((term_hash(term) for counts in counted for term in counts), np.uint64, size)
    counts = np.fromiter((min(n, _MOST_COUNTED) for each in counted for n in each.values()), np.uint8, size)
    passages = np.repeat(np.arange(first, first + len(counted), dtype=np.uint32), sizes)
    order = np.argsort(hashes, kind="stable")
    distinct, starts = np.unique(hashes[order], return_index=True)
    return Run(distinct, np.append(starts, size).astype(np.uint64), passages[order], counts[order])


def merged(older: Run, newer: Run) -> Run:
    """The postings of both, in time linear in them. All of `newer`'s passages come after all of `older`'s."""
    hashes = np.union1d(older.hashes, newer.hashes)
    places = [np.searchsorted(hashes, run.hashes) for run in (older, newer)]
    sizes = [_sizes(run) for run in (older, newer)]
    totals = np.zeros(len(hashes), np.int64)
    for place, size in zip(places, sizes, strict=True):
        totals[place] += size
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(totals)])
    passages = np.empty(int(starts[-1]), np.uint32)
    counts = np.empty(int(starts[-1]), np.uint8)
    free = starts[:-1].copy()
    for run, place, size in zip((older, newer), places, sizes, strict=True):
        shift = free[place] - run.starts[:-1].astype(np.int64)
        target = np.repeat(shift, size) + np.arange(len(run.passages))
        passages[target] = run.passages
        counts[target] = run.counts
        free[place] += size
    return Run(hashes, starts.astype(np.uint64), passages, counts)


def _sizes(run: Run) -> npt.NDArray[np.int64]:
    starts = run.starts.astype(np.int64)
    return starts[1:] - starts[:-1]


def write_run(folder: Path, run: Run) -> Extent:
    """The run stands in a new file of `folder`, on the disk. Raises OSError."""
    header = np.array([_MAGIC, len(run.hashes), len(run.passages)], _HEADER)
    parts = [
        np.ascontiguousarray(part).view(np.uint8).data
        for part in (
            header,
            run.hashes.astype("<u8", copy=False),
            run.starts.astype("<u8", copy=False),
            run.passages.astype("<u4", copy=False),
            run.counts,
        )
    ]
    name = f"run-{secrets.token_hex(8)}"
    write_new(folder / name, *parts)
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return Extent(name, sum(part.nbytes for part in parts), checksum)


def read_run(folder: Path, extent: Extent, *, checked: bool = False) -> Run:
    """The run in a file, mapped. checked: its bytes need no checking, as they have just been written. Raises Stale."""
    content = mapped(folder, extent, known=extent if checked else None)
    head = 3 * _HEADER.itemsize
    if len(content) < head:
        raise Stale(f"{extent.name}: no run of postings")
    magic, terms, postings = (int(number) for number in content[:head].view(_HEADER))
    if magic != _MAGIC or len(content) != head + 8 * terms + 8 * (terms + 1) + 5 * postings:
        raise Stale(f"{extent.name}: no run of postings")
    at = head
    hashes, at = _part(content, at, terms, np.dtype("<u8"))
    starts, at = _part(content, at, terms + 1, np.dtype("<u8"))
    passages, at = _part(content, at, postings, np.dtype("<u4"))
    counts, _ = _part(content, at, postings, np.dtype("u1"))
    return Run(hashes, starts, passages, counts)


def _part(content: npt.NDArray[np.uint8], at: int, size: int, kind: np.dtype[_S]) -> tuple[npt.NDArray[_S], int]:
    end = at + size * kind.itemsize
    return content[at:end].view(kind), end
