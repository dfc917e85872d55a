"""Windows per CPU-second and peak memory: `python tests/benchmarks/embedding.py [WINDOWS] [ROUNDS] [THREADS]`.

Embeds the same windows, most of them of about 200 tokens, as we do it and with fastembed alone, in batches of 6 (where
it does most per CPU-second) and of 32. Each in a process of its own, in turn, so that a busy machine is unjust to all.
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recall_plugin.graph.embedding import bundled, open_embedder

_JOBS = ("ours", "fastembed 6", "fastembed 32")
_TOKENS = 200


def _windows(count: int) -> list[str]:
    vocabulary = json.loads((Path(bundled.__file__).parent / "offline/tokenizer.json").read_text())["model"]["vocab"]
    words = [word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 2]
    chance = random.Random(1)
    # A turn ends where it ends: every sixth window is shorter.
    sizes = [_TOKENS if number % 6 else chance.randint(5, _TOKENS) for number in range(count)]
    return [" ".join(chance.choices(words, k=size - 2)) for size in sizes]


def _run(job: str, windows: list[str], threads: int) -> tuple[float, float]:
    """CPU seconds and wall seconds of embedding alone; the model is loaded before."""
    with tempfile.TemporaryDirectory() as folder:
        if job == "ours":
            embedder = open_embedder(bundled.NAME, Path(folder), threads)
            started, cpu = time.perf_counter(), time.process_time()
            embedder.embed(windows)
        else:
            from fastembed import TextEmbedding

            files = bundled.locate()
            model = TextEmbedding(files.registered, threads=threads, specific_model_path=str(files.folder))
            started, cpu = time.perf_counter(), time.process_time()
            for _ in model.embed(windows, batch_size=int(job.split()[1])):
                pass
        return time.process_time() - cpu, time.perf_counter() - started


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--job"]:
        job, count, threads = arguments[1], int(arguments[2]), int(arguments[3])
        cpu, wall = _run(job, _windows(count), threads)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(cpu, wall, peak)
        return
    count, rounds, threads = (int(given) for given in [*arguments, *("600", "3", "2")[len(arguments) :]])
    figures: dict[str, list[tuple[float, float, float]]] = {job: [] for job in _JOBS}
    for _ in range(rounds):
        for job in _JOBS:
            done = subprocess.run(
                [sys.executable, __file__, "--job", job, str(count), str(threads)],
                capture_output=True,
                text=True,
                check=True,
            )
            cpu, wall, peak = map(float, done.stdout.split())
            figures[job].append((count / cpu, count / wall, peak))
    best = max(statistics.median(rates[0] for rates in figures[job]) for job in _JOBS[1:])
    print(f"{count} windows, {threads} threads, median of {rounds} rounds")
    for job in _JOBS:
        cpu, wall, peak = (statistics.median(column) for column in zip(*figures[job], strict=True))
        print(
            f"{job:<13} {cpu:6.1f} windows per CPU-second ({cpu / best:4.0%} of the best bare)"
            f" {wall:6.1f} per second  peak {peak:5.0f} MiB"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
