"""A cache holds what was committed, or says that it is stale."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.errors import WriteFailed
from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.commit import COMMIT
from recall_plugin.graph.retrieval.passages import Passage
from recall_plugin.graph.retrieval.search import scored

NO_VECTORS = np.zeros((0, 4), np.float32)


def passages(owner: int, *texts: str) -> list[Passage]:
    return [Passage(owner, 0, window, text) for window, text in enumerate(texts)]


def found(cache: SearchCache, query: str) -> set[tuple[int, int]]:
    return {(hit.owner, hit.window) for hit in scored(cache.view, NO_VECTORS, query).hits(1000)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def cache(folder: Path) -> SearchCache:
    """One with three owners, opened at epoch 5."""
    cache = SearchCache(folder, 5)
    cache.rebuild(5, [passages(1, "the queue is Kestrel", "agreed"), passages(2, "another queue")])
    cache.put(passages(3, "部署窗口是周二"))
    return cache


def test_a_cache_that_never_was_is_stale_until_rebuilt(folder: Path) -> None:
    cache = SearchCache(folder, 5)
    assert cache.stale
    cache.put(passages(1, "queue"))
    assert not folder.exists()

    cache.rebuild(5, [])

    assert not cache.stale
    assert not SearchCache(folder, 5).stale


def test_what_was_put_is_found_after_opening_again(cache: SearchCache, folder: Path) -> None:
    again = SearchCache(folder, 5)

    assert not again.stale
    assert again.view.owners() == [1, 2, 3]
    assert found(again, "queue") == found(cache, "queue") == {(1, 0), (2, 0)}
    assert found(again, "窗口") == {(3, 0)}


def test_every_field_of_a_passage_is_kept(folder: Path) -> None:
    cache = SearchCache(folder, 1)
    cache.rebuild(1, [])
    cache.put([Passage(2**40, 3, 4, "queue", 5, 6, Provenance.USER, -7, "部署")])
    cache.put([Passage(8, 0, 0, "queue")])
    view = SearchCache(folder, 1).view

    columns = ("owner", "chunk", "window", "row", "turn", "provenance", "time", "project", "terms")
    assert [tuple(int(getattr(view, name)[at]) for name in columns) for at in range(2)] == [
        (2**40, 3, 4, 5, 6, list(Provenance).index(Provenance.USER), -7, 1, 1),
        (8, 0, 0, -1, 0, list(Provenance).index(Provenance.SELF), -(2**63), 0, 1),
    ]
    assert view.projects == ("", "部署")


def test_putting_an_owner_again_replaces_it(cache: SearchCache, folder: Path) -> None:
    cache.put(passages(1, "a workshop about bees"))

    for each in (cache, SearchCache(folder, 5)):
        assert found(each, "queue") == {(2, 0)}
        assert found(each, "bees") == {(1, 0)}
    assert cache.dead_share == pytest.approx(2 / 5)


def test_a_removed_owner_is_not_found(cache: SearchCache, folder: Path) -> None:
    cache.remove([1, 99])

    for each in (cache, SearchCache(folder, 5)):
        assert found(each, "queue") == {(2, 0)}
        assert each.view.owners() == [2, 3]


def test_a_search_goes_on_with_what_it_began_with(cache: SearchCache) -> None:
    view = cache.view
    for owner in range(10, 40):
        cache.put(passages(owner, f"queue {owner}"))
    cache.remove([1])
    cache.rebuild(6, [])

    assert {hit.owner for hit in scored(view, NO_VECTORS, "queue").hits(100)} == {1, 2}


def test_another_epoch_is_stale(cache: SearchCache, folder: Path) -> None:
    assert SearchCache(folder, 6).stale == "made for epoch 5, not for 6"

    cache.put((), epoch=6)

    assert not SearchCache(folder, 6).stale
    assert SearchCache(folder, 5).stale


def test_a_rebuild_holds_exactly_what_was_streamed_in(cache: SearchCache, folder: Path) -> None:
    cache.rebuild(9, ([*passages(owner, f"queue {owner}")] for owner in range(5000)))

    again = SearchCache(folder, 9)
    assert again.view.owners() == list(range(5000))
    assert found(again, "4711") == {(4711, 0)}
    assert found(again, "kestrel") == set()


def test_a_rebuild_that_fails_changes_nothing(cache: SearchCache, folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())

    def torn() -> Iterator[list[Passage]]:
        for owner in range(3000):
            yield passages(owner, "queue")
        raise RuntimeError("the store went away")

    with pytest.raises(RuntimeError, match="went away"):
        cache.rebuild(6, torn())

    assert found(cache, "queue") == {(1, 0), (2, 0)}
    assert cache.epoch == 5
    assert sorted(path.name for path in folder.iterdir()) == before
    assert not SearchCache(folder, 5).stale


def test_files_grow_by_what_is_added_and_runs_stay_few(folder: Path) -> None:
    cache = SearchCache(folder, 1)
    cache.rebuild(1, [])
    for owner in range(200):
        cache.put(passages(owner, f"queue number {owner}"))

    assert len(list(folder.glob("run-*"))) == len(cache.view.runs) <= 8
    assert len(list(folder.iterdir())) == len(cache.view.runs) + 2
    assert found(cache, "queue") == {(owner, 0) for owner in range(200)}


def test_a_full_disk_leaves_everything_as_it_was(
    cache: SearchCache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        calls = 0

        def full(descriptor: int) -> None:
            nonlocal calls
            calls += 1
            if calls == failing:
                raise OSError(28, "No space left on device")

        patch.setattr(os, "fsync", full)
        for failing in range(1, 5):  # noqa: B007
            calls = 0
            with pytest.raises(WriteFailed, match="No space left"):
                cache.put(passages(1, "bees"))
            assert found(cache, "queue") == {(1, 0), (2, 0)}
            assert found(SearchCache(folder, 5), "queue") == {(1, 0), (2, 0)}

    cache.put(passages(1, "bees"))
    assert found(SearchCache(folder, 5), "bees") == {(1, 0)}


def test_any_damage_makes_it_stale_and_a_rebuild_mends_it(cache: SearchCache, folder: Path) -> None:
    cache.put(passages(4, "one more", "and one more"))
    cache.remove([2])
    rng = random.Random(4)
    for path in sorted(folder.iterdir()):
        good = path.read_bytes()
        at = rng.randrange(len(good))
        for bad in (b"", good[:at], good[:at] + bytes([good[at] ^ 0x40]) + good[at + 1 :], b"\0" * len(good)):
            # Not in place: what is mapped stays as it was.
            path.unlink()
            path.write_bytes(bad)
            damaged = SearchCache(folder, 5)
            assert path.name in damaged.stale
            assert found(damaged, "queue") == set()
        path.unlink()
        path.write_bytes(good)
    assert not SearchCache(folder, 5).stale

    (folder / COMMIT).write_bytes(b"nonsense")
    damaged = SearchCache(folder, 5)
    damaged.rebuild(5, [passages(1, "queue")])

    assert found(SearchCache(folder, 5), "queue") == {(1, 0)}
    assert len(list(folder.iterdir())) == 3


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path) -> None:
    path = tmp_path / "index"
    path.write_bytes(b"")
    cache = SearchCache(path, 1)
    assert cache.stale

    with pytest.raises(WriteFailed, match="index"):
        cache.rebuild(1, [])


WRITER = """
import sys
from pathlib import Path
from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.passages import Passage

folder, first = Path(sys.argv[1]), int(sys.argv[2])
cache = SearchCache(folder, 1)
if cache.stale:
    print("stale", cache.stale, flush=True)
    cache.rebuild(1, [])
for version in range(first, first + 100_000):
    owner = version % 7
    cache.put([Passage(owner, 0, window, f"version{version} of owner{owner}", turn=version) for window in range(3)])
    print(version, flush=True)
"""


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(folder: Path) -> None:
    acknowledged = -1
    rng = random.Random(20)
    for round_number in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(acknowledged + 1)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(rng.uniform(0, 0.06))
        process.kill()
        with process:
            lines += process.stdout.read().splitlines()
        if round_number:
            assert not any(line.startswith("stale") for line in lines)
        versions = [int(line) for line in lines if line.strip().isdecimal()]
        acknowledged = max(acknowledged, *versions)

        view = SearchCache(folder, 1).view
        alive = view.alive
        newest = int(view.turn[alive].max())
        assert newest in (acknowledged, acknowledged + 1)
        for owner in range(min(7, newest + 1)):
            expected = newest - (newest - owner) % 7
            mine = alive & (view.owner == owner)
            assert view.turn[mine].tolist() == [expected] * 3
            hits = scored(view, NO_VECTORS, f"version{expected}").hits(10)
            assert {(hit.owner, hit.window) for hit in hits} == {(owner, window) for window in range(3)}
        acknowledged = newest
