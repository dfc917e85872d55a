"""Runs of postings give back what was filed, however they were merged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.retrieval.commit import Extent, Stale
from recall_plugin.graph.retrieval.runs import Run, merged, read_run, run_of, write_run
from recall_plugin.graph.retrieval.terms import term_hash

TERMS = ["queue", "kestrel", "窗口", "книга", "zoe", "a"]
COUNTED = st.lists(st.dictionaries(st.sampled_from(TERMS), st.integers(1, 300), max_size=5), max_size=6)


def postings(run: Run, term: str) -> list[tuple[int, int]]:
    passages, counts = run.postings(term_hash(term))
    return list(zip(passages.tolist(), counts.tolist(), strict=True))


@given(st.lists(COUNTED, min_size=1, max_size=5))
def test_merged_runs_hold_what_was_filed_in_order(batches: list[list[dict[str, int]]]) -> None:
    first = 0
    whole: Run | None = None
    for batch in batches:
        run = run_of(batch, first)
        whole = run if whole is None else merged(whole, run)
        first += len(batch)

    assert whole is not None
    passages = [counts for batch in batches for counts in batch]
    for term in TERMS:
        expected = [(at, min(counts[term], 255)) for at, counts in enumerate(passages) if term in counts]
        assert postings(whole, term) == expected
    assert (np.diff(whole.hashes.astype(object)) > 0).all()


def test_a_written_run_reads_back(tmp_path: Path) -> None:
    extent = write_run(tmp_path, run_of([{"queue": 2, "窗口": 1}, {"queue": 1}], 7))
    run = read_run(tmp_path, extent)

    assert postings(run, "queue") == [(7, 2), (8, 1)]
    assert postings(run, "窗口") == [(7, 1)]
    assert postings(run, "kestrel") == []


def test_an_empty_run_reads_back(tmp_path: Path) -> None:
    run = read_run(tmp_path, write_run(tmp_path, run_of([{}, {}], 0)))

    assert postings(run, "queue") == []


def test_any_changed_byte_is_noticed(tmp_path: Path) -> None:
    extent = write_run(tmp_path, run_of([{"queue": 2}], 0))
    path = tmp_path / extent.name
    good = path.read_bytes()
    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(Stale):
            read_run(tmp_path, extent)


def test_a_foreign_file_with_a_fitting_checksum_is_noticed(tmp_path: Path) -> None:
    from zlib import crc32

    (tmp_path / "run-1").write_bytes(b"x" * 100)
    with pytest.raises(Stale, match="no run"):
        read_run(tmp_path, Extent("run-1", 100, crc32(b"x" * 100)))
    with pytest.raises(Stale, match="no run"):
        read_run(tmp_path, Extent("run-1", 10, crc32(b"x" * 10)))
