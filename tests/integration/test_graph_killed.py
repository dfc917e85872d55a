"""SIGKILL, and a disk that takes no more, at any moment: nothing is lost, nothing is counted or kept twice."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from graph_memory import Rows, agent, clock, contents, entity, holds, keep, say, user, with_graph

from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal.journal import Journal
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.setup import make_memory

ROUNDS = 15
ARCHIVES = 12

# For each line it is sent, a child that ingests what waits, and between two archives records a claim of another origin;
# the child tells what is done as it is. Importing everything is done once.
WORK = """
import asyncio, os, resource, sys
from pathlib import Path
import fastembed, surrealdb, surrealdb_embedded
from graph_memory import *
from recall_plugin.errors import RecallError
from recall_plugin.memory.graph.ingesting import ingest, waiting_archives

async def work(root, turn, limit):
    layout = Layout(Path(root))
    async with open_graph(layout, settings_of(layout), now=NOW) as graph:
        print("open", flush=True)
        if int(limit):
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), hard))
        claimed = 0
        for number in await waiting_archives(graph):
            claimed += 1
            await say(graph, "harbor", "USES", "Kestrel", origin=f"round {turn} claim {claimed}")
            print("claimed", flush=True)
            await ingest(graph, number, now=clock)
            print("ingested", flush=True)

for line in sys.stdin:
    child = os.fork()
    if not child:
        print(os.getpid(), flush=True)
        try:
            asyncio.run(work(*line.split()))
        except RecallError as error:
            print("error", type(error).__name__, error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


class Worker:
    """Does the work again and again, each time in a new process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORK],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._ended = True
        self._to, self._from = self._process.stdin, self._process.stdout

    def start(self, layout: Layout, turn: int, limit: int = 0) -> int:
        """The pid of a process that has begun. limit: bytes to which a file may grow, if any."""
        self._to.write(f"{layout.root} {turn} {limit}\n")
        self._to.flush()
        self._ended = False
        return int(self._from.readline())

    def rest(self, limit: int | None = None) -> list[str]:
        """The next `limit` things that it tells, or all until it has ended."""
        told: list[str] = []
        while not self._ended and len(told) != limit:
            line = self._from.readline().strip()
            assert line, "the worker is gone"
            self._ended = line == "ended"
            told += [] if self._ended else [line]
        return told

    def close(self) -> None:
        self._to.close()
        self._process.wait()
        self._from.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A memory of many archives, of which none is ingested, with two entities and a relation."""
    layout = make_memory(tmp_path_factory.mktemp("whole") / "nia").layout
    for number in range(ARCHIVES):
        words = " ".join(f"Sentence {number}.{place} tells of the tide." for place in range(number % 3 * 4 + 1))
        keep(layout, user(f"Question {number}: what of the tide?"), agent(words), session=f"s{number}")

    async def begin(graph: Graph) -> None:
        await entity(graph, "harbor")
        await entity(graph, "Kestrel")
        await say(graph, "harbor", "USES", "Kestrel")

    with_graph(layout, begin)
    return layout


@pytest.fixture(scope="module")
def undisturbed(whole: Layout, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """What the graph of such a memory holds when nobody disturbs its ingesting."""
    layout = copy(whole, tmp_path_factory.mktemp("undisturbed"))
    return with_graph(layout, finish)


async def finish(graph: Graph) -> Rows:
    """All archives are ingested; what the graph holds then."""
    await ingest_waiting(graph, now=clock)
    return await contents(graph.store)


def copy(layout: Layout, folder: Path) -> Layout:
    shutil.copytree(layout.root, folder / "nia", symlinks=True)
    return Layout(folder / "nia")


def check(layout: Layout, undisturbed: Rows, claimed: int, unsure: int) -> None:
    """Everything is there once. claimed: acknowledged claims; unsure: those that were under way when it ended."""
    rows = with_graph(layout, finish)
    for table in ("archive", "episode", "written", "entity"):
        assert rows[table] == undisturbed[table]
    [relation] = rows["relates_to"].values()
    assert relation["origins"] == relation["mentions"] == len(rows["observation"]) == len(rows["tally"])
    assert claimed + 1 <= relation["origins"] <= claimed + 1 + unsure
    assert float(relation["alpha"]) == pytest.approx(10 + 0.8 * (relation["origins"] - 1), abs=1e-9)
    ingested = [one.fields["archive"] for one in Journal(layout).read() if one.kind == "archive"]
    assert sorted(ingested) == list(range(1, ARCHIVES + 1))
    shutil.rmtree(layout.store)
    assert holds(layout) == rows


def test_killing_it_at_any_moment_loses_nothing_and_doubles_nothing(
    whole: Layout, undisturbed: Rows, worker: Worker, tmp_path: Path
) -> None:
    layout = copy(whole, tmp_path)
    dice = random.Random(20261130)
    told: list[str] = []

    for turn in range(ROUNDS):
        pid = worker.start(layout, turn)
        told += worker.rest(dice.choice([0, 1, 2, 2, 3, 3, 5]))
        time.sleep(dice.uniform(0.0, 0.1))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        told += worker.rest()

    assert not [line for line in told if line.startswith("error")]
    assert told.count("ingested") > 0
    check(layout, undisturbed, told.count("claimed"), ROUNDS)


@pytest.mark.parametrize("limit", [15_000, 35_000])
def test_a_disk_that_takes_no_more_is_named_and_everything_goes_on_where_it_stood(
    whole: Layout, undisturbed: Rows, worker: Worker, tmp_path: Path, limit: int
) -> None:
    layout = copy(whole, tmp_path)
    told: list[str] = []

    for turn in range(2):
        worker.start(layout, turn, limit)
        told += worker.rest()

    errors = [line for line in told if line.startswith("error")]
    assert len(errors) == 2
    for line in errors:
        assert line.split()[1] in {"WriteFailed", "StoreBehind"}, line
        assert "may not grow so large" in line
    check(layout, undisturbed, told.count("claimed"), 2)
