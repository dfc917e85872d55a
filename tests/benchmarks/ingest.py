"""Ingesting against the bare model: `python tests/benchmarks/ingest.py [ARCHIVES] [ROUNDS] [THREADS]`.

Archives of prose are ingested by the product as it is, store and journal and all; then the bare model embeds just those
windows, in batches of 6, where it does most per CPU-second. Each in a process of its own, in turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recall_plugin.domain.conversation import Conversation, Role, Session, Turn
from recall_plugin.domain.episodes.chunking import chunk
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.files import archiving, conversations
from recall_plugin.files.policy import Policy
from recall_plugin.graph.embedding import bundled
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.opening import open_graph
from recall_plugin.memory.graph.putting import class_of
from recall_plugin.memory.graph.settings import graph_settings
from recall_plugin.memory.setup import make_memory

_TURNS = 24  # an archive
_START = datetime(2026, 1, 1, tzinfo=UTC)


def make_archives(layout: Layout, count: int, seed: int = 1) -> None:
    """`count` archives of some twenty turns of prose, a few words to a few hundred long."""
    vocabulary = json.loads((Path(bundled.__file__).parent / "offline/tokenizer.json").read_text())["model"]["vocab"]
    words = [word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 2]
    chance = random.Random(seed)
    for number in range(count):
        at = _START + timedelta(hours=number)
        turns = tuple(
            Turn(
                f"{number}-{place}",
                Role.USER if place % 2 == 0 else Role.ASSISTANT,
                _prose(words, chance.choice((8, 30, 80, 300)), chance),
                at + timedelta(minutes=place),
            )
            for place in range(_TURNS)
        )
        session = Session(f"session-{seed}-{number}", "benchmark", "/home/ada/harbor")
        transcript = GivenTranscript(Conversation(session, turns))
        archiving.archive(layout, transcript, Policy(lambda text: text), source="session", now=at)


def _prose(words: list[str], length: int, chance: random.Random) -> str:
    sentences = []
    while length > 0:
        size = min(length, chance.randint(6, 18))
        sentences.append(" ".join(chance.choices(words, k=size)).capitalize() + ".")
        length -= size
    return " ".join(sentences)


def _product(layout: Layout) -> dict[str, float]:
    settings = graph_settings(layout, os.environ)

    async def run() -> dict[str, float]:
        async with open_graph(layout, settings, now=datetime.now(UTC)) as graph:
            await graph.searcher.vectors()  # the model is loaded before the clock starts, as the bare one's is
            cpu, wall = time.process_time(), time.perf_counter()
            done = await ingest_waiting(graph, now=lambda: datetime.now(UTC))
            return {
                "windows": sum(one.windows for one in done),
                "cpu": time.process_time() - cpu,
                "wall": time.perf_counter() - wall,
            }

    return asyncio.run(run())


def _bare(layout: Layout, threads: int) -> dict[str, float]:
    from fastembed import TextEmbedding

    texts = []
    for number in conversations.numbers(layout):
        turns = conversations.read_archive(layout.conversation(number)).turns
        chunks = chunk(turns, lambda turn: class_of(turn, frozenset()), lambda text: [])
        texts += [window.text for one in chunks for window in one.windows]
    texts = sorted(dict.fromkeys(texts), key=len)
    files = bundled.locate()
    model = TextEmbedding(files.registered, threads=threads, specific_model_path=str(files.folder))
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in model.embed(texts, batch_size=6):
        pass
    return {"windows": len(texts), "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--job"]:
        job, root, threads = arguments[1], Path(arguments[2]), int(arguments[3])
        figures = _product(Layout(root)) if job == "product" else _bare(Layout(root), threads)
        figures["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(figures))
        return
    archives, rounds, threads = (int(given) for given in [*arguments, *("40", "3", "2")[len(arguments) :]])
    found: dict[str, list[dict[str, float]]] = {"product": [], "bare": []}
    for seed in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            layout = make_memory(Path(folder) / "pulse").layout
            layout.config.write_text(f"[graph.embedding]\nthreads = {threads}\n")
            layout.config.chmod(0o600)
            make_archives(layout, archives, seed)
            for job in ("product", "bare") if seed % 2 else ("bare", "product"):
                done = subprocess.run(
                    [sys.executable, __file__, "--job", job, str(layout.root), str(threads)],
                    capture_output=True, text=True, check=True, env={**os.environ, "XDG_CONFIG_HOME": folder},
                )  # fmt: skip
                found[job].append(json.loads(done.stdout))
    rates = {job: [one["windows"] / one["cpu"] for one in runs] for job, runs in found.items()}
    print(f"{found['product'][0]['windows']} windows of {archives} archives, {threads} threads, {rounds} rounds")
    for job, runs in found.items():
        rate, wall = statistics.median(rates[job]), statistics.median(one["windows"] / one["wall"] for one in runs)
        peak = max(one["peak"] for one in runs)
        print(f"{job:<8} {rate:6.1f} windows per CPU-second {wall:6.1f} per second  peak {peak:5.0f} MiB")
    ratios = [ours / bare for ours, bare in zip(rates["product"], rates["bare"], strict=True)]
    print(f"product / bare, by round: {', '.join(f'{ratio:.0%}' for ratio in ratios)}")


if __name__ == "__main__":
    main(sys.argv[1:])
