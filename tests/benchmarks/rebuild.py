"""Questions and a rebuild at a size: `python tests/benchmarks/rebuild.py [EVENTS] [ARCHIVES] [QUESTIONS]`.

A memory of so many events (a tenth entities, the rest claims of many origins) and archives is made, ingested, asked and
rebuilt with its vectors at hand. Prints the time of opening, of a question (its embedding counted, all in one process),
of the rebuild, and whether every belief came out the same.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingest import make_archives

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Claim, EntityKept, Event, Named, written
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal.journal import Journal
from recall_plugin.memory.graph.asking import query
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.opening import open_graph
from recall_plugin.memory.graph.progress import silent
from recall_plugin.memory.graph.rebuilding import rebuild
from recall_plugin.memory.graph.settings import graph_settings
from recall_plugin.memory.graph.views import Sure
from recall_plugin.memory.setup import make_memory

_START = datetime(2025, 1, 1, tzinfo=UTC)
_BATCH = 1000
_TYPES = ("USES", "DEPENDS_ON", "BUILDS", "PREFERS")


def make_events(count: int, chance: random.Random) -> list[Event]:
    """A tenth of `count` entities, then claims about them."""
    entities = [Named(f"k{number}", f"thing {number}", EntityType.TOOL) for number in range(max(count // 10, 2))]
    events: list[Event] = [EntityKept(one.key, one.name, one.type, "person") for one in entities]
    for number in range(count - len(events)):
        source, target = chance.sample(entities, 2)
        events.append(
            Claim(
                source=source,
                relation=chance.choice(_TYPES),
                target=target,
                stance=Stance.SUPPORTS if chance.random() < 0.8 else Stance.CONTRADICTS,
                context=chance.choice(list(ExtractionContext)),
                provenance=chance.choice(list(Provenance)),
                origin=f"origin {chance.randrange(5000)}",
                occurred_at=_START + timedelta(minutes=number),
                by="person",
                quote="so it was said, in about as many words as people take",
            )
        )
    return events


async def run(layout: Layout, questions: int) -> None:
    """Prints the figures."""
    settings = graph_settings(layout, os.environ)
    started = time.perf_counter()
    async with open_graph(layout, settings, now=_now()):
        print(f"opening, all events to apply       {time.perf_counter() - started:7.2f} s")
    started = time.perf_counter()
    async with open_graph(layout, settings, now=_now()) as graph:
        print(f"opening again                      {time.perf_counter() - started:7.2f} s")
        done = await ingest_waiting(graph, now=_now)
        episodes, windows = sum(one.episodes for one in done), sum(one.windows for one in done)
        print(f"ingested {len(done)} archives: {episodes} episodes, {windows} windows")
        before = {relation.key: relation for relation in await graph.knowledge.every_relation()}
        await query(graph, "which thing depends on what?", _sure(), limit=5)
        walls, cpus = [], []
        for number in range(questions):
            wall, cpu = time.perf_counter(), time.process_time()
            await query(graph, f"what was said about thing {number * 37} and the port?", _sure(), limit=5)
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
        print(
            f"a question                         p50 {statistics.median(walls) * 1000:.1f} ms,"
            f" CPU {statistics.median(cpus) * 1000:.1f} ms"
        )
    found = await rebuild(layout, settings, now=_now(), progress=silent)
    print(f"rebuild of {found.events} events          {found.seconds:7.2f} s, {found.embedded} windows embedded")
    async with open_graph(layout, settings, now=_now()) as graph:
        after = {relation.key: relation for relation in await graph.knowledge.every_relation()}
    print(f"{len(after)} relations, {'all the same' if after == before else 'NOT the same'}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def _sure() -> Sure:
    return Sure(_now(), 90.0)


def _now() -> datetime:
    return datetime.now(UTC)


def main(arguments: list[str]) -> None:
    events, archives, questions = (int(given) for given in [*arguments, *("50000", "60", "100")[len(arguments) :]])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        layout = make_memory(Path(folder) / "pulse").layout
        make_archives(layout, archives)
        journal = Journal(layout)
        lines = [written(event) for event in make_events(events, random.Random(1))]
        started = time.perf_counter()
        for first in range(0, len(lines), _BATCH):
            journal.append(lines[first : first + _BATCH], now=_now())
        print(f"appending {len(lines)} events             {time.perf_counter() - started:7.2f} s")
        asyncio.run(run(layout, questions))


if __name__ == "__main__":
    main(sys.argv[1:])
