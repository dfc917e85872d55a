"""The nearest rows are found exactly, in an order that does not depend on how many are asked for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.embedding import ModelIdentity
from recall_plugin.graph.nearest import ExactIndex, Near, VectorIndex, top
from recall_plugin.graph.vectors import VectorFile, digest


def unit_rows(count: int, dimension: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dimension), np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(st.integers(0, 40), st.integers(1, 12), st.integers(0, 60), st.integers(0, 999), st.data())
def test_the_answer_is_that_of_sorting_everything(
    count: int, dimension: int, k: int, seed: int, data: st.DataObject
) -> None:
    matrix = unit_rows(count, dimension, seed)
    query = unit_rows(1, dimension, seed + 1)[0]
    among = np.array(data.draw(st.lists(st.integers(0, count - 1), max_size=50) if count else st.just([])), np.int64)
    rows, cosines = top(matrix, query, k, among)
    exact = matrix.astype(np.float64) @ query.astype(np.float64)

    assert len(rows) == len(set(rows.tolist())) == min(k, len(set(among.tolist())))
    assert set(rows.tolist()) <= set(among.tolist())
    assert cosines == pytest.approx(exact[rows], abs=1e-6)
    left_out = sorted(set(among.tolist()) - set(rows.tolist()))
    if len(rows) and left_out:
        assert exact[left_out].max() <= exact[rows].min() + 1e-6


def test_the_first_five_are_the_same_five_whatever_the_limit() -> None:
    matrix = np.repeat(unit_rows(3000, 384, 1), 7, axis=0)
    query = unit_rows(1, 384, 2)[0]
    everything, all_cosines = top(matrix, query, len(matrix))

    for k in (1, 5, 6, 50, 8192, 20_999):
        rows, cosines = top(matrix, query, k)
        assert rows.tolist() == everything[:k].tolist()
        assert cosines.tolist() == all_cosines[:k].tolist()


def test_equal_vectors_have_equal_cosines_and_come_in_the_order_of_their_rows() -> None:
    matrix = np.repeat(unit_rows(1, 384, 1), 20_011, axis=0)
    rows, cosines = top(matrix, unit_rows(1, 384, 2)[0], 50)

    assert rows.tolist() == list(range(50))
    assert len(set(cosines.tolist())) == 1


def test_choosing_among_fewer_rows_changes_nobodys_cosine() -> None:
    matrix = unit_rows(20_000, 384, 1)
    query = unit_rows(1, 384, 2)[0]
    rows, cosines = top(matrix, query, 20_000)
    expected = dict(zip(rows.tolist(), cosines.tolist(), strict=True))
    among = np.random.default_rng(3).choice(20_000, 9001, replace=False)
    fewer, found = top(matrix, query, 9001, among)

    assert all(expected[row] == cosine for row, cosine in zip(fewer.tolist(), found.tolist(), strict=True))


def test_a_damaged_row_comes_last_and_hides_nothing() -> None:
    matrix = unit_rows(10, 8, 1)
    matrix[[2, 5]] = np.nan
    rows, cosines = top(matrix, matrix[7], 10)

    assert rows[0] == 7
    assert set(rows[-2:].tolist()) == {2, 5}
    assert np.isfinite(cosines).all()


def test_nothing_is_asked_for_or_nothing_is_there() -> None:
    matrix = unit_rows(10, 8, 1)

    for k in (0, -1):
        assert top(matrix, matrix[0], k)[0].tolist() == []
    assert top(matrix[:0], matrix[0], 5)[0].tolist() == []
    assert top(matrix, matrix[0], 5, np.array([], np.int64))[1].tolist() == []


def test_what_cannot_be_asked_is_refused() -> None:
    matrix = unit_rows(10, 8, 1)

    for query in (matrix[0][:7], matrix[:1], np.full(8, np.nan, np.float32)):
        with pytest.raises(ValueError, match="a query is a finite vector"):
            top(matrix, query, 5)
    for rows in ([-1], [10]):
        with pytest.raises(IndexError):
            top(matrix, matrix[0], 5, np.array(rows))


def test_an_index_answers_with_digests_and_passes_over_what_it_does_not_hold(tmp_path: Path) -> None:
    rows = unit_rows(4, 8, 1)
    keys = [digest(text) for text in "abcd"]
    with_vectors = VectorFile.open(tmp_path, ModelIdentity("model", "00" * 32), 8)
    with_vectors.add(keys, rows)
    index: VectorIndex = ExactIndex(with_vectors)
    everything = asyncio.run(index.search(rows[2], 9))
    among = asyncio.run(index.search(rows[2], 9, [keys[0], digest("unknown"), keys[2]]))
    with_vectors.close()

    assert everything[0] == Near(keys[2], pytest.approx(1))
    assert {near.digest for near in everything} == set(keys)
    assert among == [near for near in everything if near.digest in {keys[0], keys[2]}]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_search_takes_little_memory_beside_the_mapped_file(tmp_path: Path) -> None:
    script = """
import resource, sys
import numpy as np
from recall_plugin.graph.nearest import top

path = sys.argv[1]
matrix = np.memmap(path, np.float32, "w+", shape=(60_000, 384))
matrix[:] = 1 / 384**0.5
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]), resource.RLIM_INFINITY))
rows, _ = top(matrix, matrix[0], 5, np.arange(59_999))
assert rows.tolist() == [0, 1, 2, 3, 4]
"""
    # A copy of the matrix would be 92 MB.
    base = subprocess.run(
        [sys.executable, "-c", "import recall_plugin.graph.nearest\nprint(open('/proc/self/status').read())"],
        capture_output=True,
        text=True,
        check=True,
    )
    data = next(int(line.split()[1]) * 1024 for line in base.stdout.splitlines() if line.startswith("VmData"))
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "matrix"), str(data + 60_000_000)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
