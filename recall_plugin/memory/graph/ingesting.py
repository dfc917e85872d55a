"""An archive becomes episodes that are found by meaning, and the account says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from recall_plugin.domain.journal.events import ArchiveNoted
from recall_plugin.errors import EmbeddingStopped, LayoutError, ModelError
from recall_plugin.files import conversations
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.progress import Progress, silent
from recall_plugin.memory.graph.putting import Ingester


@dataclass(frozen=True, slots=True)
class Ingested:
    """What ingesting one archive came to. embedded: windows that the model saw; the others' vectors were known."""

    archive: int
    episodes: int = 0
    windows: int = 0
    embedded: int = 0
    seconds: float = 0.0
    failure: str = ""


async def ingest(graph: Graph, number: int, *, now: Callable[[], datetime]) -> Ingested:
    """The archive is searchable, and the account says so; or it says why not.

    Raises NotWritable where nothing can be recorded, and what the store, the model and the disk do.
    """
    started = time.monotonic()
    graph.must_be_writable()
    ingester = Ingester(graph.layout, graph.settings, graph.searcher)
    try:
        put = await ingester.put(number)
    except LayoutError as error:
        await _note_failure(graph, number, str(error), now())
        return Ingested(number, failure=str(error))
    except ModelError as error:  # of no archive, so that the next one would fare no better
        await _note_failure(graph, number, str(error), now())
        raise
    seconds = time.monotonic() - started
    archive = put.archive
    await graph.record(
        [
            ArchiveNoted(
                archive=number,
                stage="ingested",
                content=archive.content,
                episodes=archive.episodes,
                windows=archive.windows,
                chunker=archive.chunker,
                model=archive.model,
                seconds=round(seconds, 3),
            )
        ],
        now=now(),
    )
    return Ingested(number, archive.episodes, archive.windows, put.embedded, seconds)


async def ingest_waiting(
    graph: Graph,
    *,
    now: Callable[[], datetime],
    progress: Progress = silent,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Ingested]:
    """Every archive that was not ingested is, in order, until `should_stop` says so between two of them."""
    waiting = await waiting_archives(graph)
    done: list[Ingested] = []
    for number in waiting:
        if should_stop():
            break
        progress("archives", len(done), len(waiting))
        try:
            done.append(await ingest(graph, number, now=now))
        except EmbeddingStopped:
            break
    progress("archives", len(done), len(waiting))
    return done


async def waiting_archives(graph: Graph) -> list[int]:
    """The archives that are there and not ingested, ascending."""
    numbers = await asyncio.to_thread(conversations.numbers, graph.layout)
    return graph.store.meta.account.waiting(numbers)


async def _note_failure(graph: Graph, number: int, reason: str, at: datetime) -> None:
    known = graph.store.meta.account.archives.get(number)
    if known is None or known.reason != reason:  # the same failure again is no news
        await graph.record([ArchiveNoted(number, "failed", reason=reason)], now=at)
