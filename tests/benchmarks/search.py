"""How long a search takes, and what adding costs: `python tests/benchmarks/search.py [EPISODES ...]`.

Synthetic passages, three windows an episode, of words that are as frequent as words are; synthetic vectors. Prints, for
each number of episodes, the time of making the index, of opening it, of adding one archive of ten episodes, of a search
(its embedding not counted), and the sizes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.passages import Passage
from recall_plugin.graph.retrieval.search import Filter, scored

DIMENSION = 384
WINDOWS = 3  # an episode
EPISODES = 10  # an archive
WORDS = 110  # a window
QUERY_WORDS = "which did we last week the"


def _archives(episodes: int, first: int, rng: np.random.Generator) -> Iterator[list[Passage]]:
    words = np.array([*QUERY_WORDS.split(), *(f"word{number}" for number in range(60_000))])
    row = first * EPISODES * WINDOWS
    for archive in range(first, first + episodes // EPISODES):
        passages = []
        for place in range(EPISODES * WINDOWS):
            ranks = rng.zipf(1.15, WORDS * 2)
            text = " ".join(words[ranks[ranks <= len(words)][:WORDS] - 1])
            passages.append(Passage(archive, place // WINDOWS, place, text, row, time=archive, project="api"))
            row += 1
        yield passages


def _matrix(rows: int, path: Path, rng: np.random.Generator) -> np.memmap:
    matrix = np.memmap(path, np.float32, "w+", shape=(rows, DIMENSION))
    for start in range(0, rows, 10_000):
        block = rng.normal(size=(min(10_000, rows - start), DIMENSION)).astype(np.float32)
        matrix[start : start + len(block)] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return matrix


def _milliseconds(times: list[float]) -> str:
    times.sort()
    return f"p50 {times[len(times) // 2] * 1e3:.1f} ms, p95 {times[int(len(times) * 0.95)] * 1e3:.1f} ms"


def _measure(episodes: int, folder: Path) -> None:
    rng = np.random.default_rng(1)
    started = time.perf_counter()
    SearchCache(folder / "index", 1).rebuild(1, _archives(episodes, 0, rng))
    made = time.perf_counter() - started
    started = time.perf_counter()
    cache = SearchCache(folder / "index", 1)
    opened = time.perf_counter() - started
    added = []
    for passages in _archives(60 * EPISODES, episodes // EPISODES, rng):
        started = time.perf_counter()
        cache.put(passages)
        added.append(time.perf_counter() - started)
    matrix = _matrix(len(cache.view), folder / "matrix", rng)
    words = rng.zipf(1.15, (60, 40))
    print(f"{episodes} episodes, {len(cache.view)} windows")
    print(f"  made in {made:.1f} s (texts included), opened in {opened * 1e3:.0f} ms")
    print(f"  an archive of {EPISODES} episodes added: {_milliseconds(added)}, at most {max(added) * 1e3:.0f} ms")
    filters = {
        "all": Filter(),
        "a third": Filter(owners=range(0, episodes // EPISODES, 3)),
        "one archive": Filter(owners=[7]),
    }
    for name, allowed in filters.items():
        times = []
        for ranks in words:
            content = " ".join(f"word{rank}" for rank in ranks[(ranks > 20) & (ranks < 20_000)][:6])
            vector = matrix[int(rng.integers(len(matrix)))]
            started = time.perf_counter()
            scored(cache.view, matrix, f"{QUERY_WORDS} {content}?", vector, allowed).episodes(5)
            times.append(time.perf_counter() - started)
        print(f"  search, {name}: {_milliseconds(times)}")
    size = sum(path.stat().st_size for path in (folder / "index").iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {size / 1e6:.0f} MB of files, {len(cache.view.runs)} runs, peak {peak:.0f} MiB, mapped vectors included")


def main(arguments: list[str]) -> None:
    """Each size in a process of its own."""
    if arguments[:1] == ["--measure"]:
        with tempfile.TemporaryDirectory() as folder:
            _measure(int(arguments[1]), Path(folder))
        return
    for episodes in arguments or ["1500", "50000"]:
        subprocess.run([sys.executable, __file__, "--measure", episodes], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
