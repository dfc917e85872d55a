"""Vectors of one model are never compared with another's, and the caches follow the store."""

from __future__ import annotations

import asyncio
import shutil

import pytest
from graph_memory import NOW, clock, entity, keep, settings_of, user, with_graph
from small_model import NAME, cached_model, small_model

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import ModelChanged
from recall_plugin.memory.graph import asking
from recall_plugin.memory.graph.ingesting import Ingested, ingest_waiting
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.progress import silent
from recall_plugin.memory.graph.rebuilding import rebuild

Scores = list[tuple[object, float]]


@pytest.fixture
def other(layout: Layout) -> None:
    """Another model, which needs no network, where the config names it."""
    cached_model(layout.models, small_model({}))


def use(layout: Layout, model: str) -> None:
    layout.config.write_text(f'[graph.embedding]\nmodel = "{model}"\n')
    layout.config.chmod(0o600)


async def ingest_all(graph: Graph) -> list[Ingested]:
    return await ingest_waiting(graph, now=clock)


async def asked(graph: Graph) -> tuple[Scores, Scores]:
    """The entities and the episodes that a question finds, with their scores."""
    hits = await asking.search(graph, "the ship's anchor", now=NOW, limit=9)
    fragments = await asking.episodes(graph, "the ship's anchor", limit=9)
    return [(one.line.name, one.score) for one in hits], [(one.episode.key, one.score) for one in fragments]


def make_again(layout: Layout) -> int:
    """The windows that were embedded when the store was made again."""
    return asyncio.run(rebuild(layout, settings_of(layout), now=NOW, progress=silent)).embedded


@pytest.mark.parametrize("archives", [0, 2])
def test_another_model_is_refused_until_everything_is_embedded_by_it(
    layout: Layout, other: None, archives: int
) -> None:
    for number in range(archives):
        keep(layout, user(f"The anchor number {number} was lost."), session=f"s{number}")

    async def fill(graph: Graph) -> tuple[Scores, Scores]:
        await entity(graph, "windlass", abstract="raises the anchor")
        await entity(graph, "rudder", abstract="steers")
        await ingest_all(graph)
        return await asked(graph)

    async def refused(graph: Graph) -> list[str]:
        with pytest.raises(ModelChanged, match="rebuild"):
            await asking.search(graph, "anchor", now=NOW, limit=9)
        with pytest.raises(ModelChanged, match="rebuild"):
            await asking.episodes(graph, "anchor", limit=9)
        hits = await asking.search(graph, "anchor", now=NOW, limit=9, keyword=True)
        return [one.line.name for one in hits]

    first = with_graph(layout, fill)
    for model, back in ((NAME, "minilm-int8"), ("minilm-int8", NAME)):
        use(layout, model)
        assert with_graph(layout, refused) == ["windlass"]
        make_again(layout)
        found = with_graph(layout, asked)
        assert (found == first) is (model == "minilm-int8")
        use(layout, back)
        assert with_graph(layout, refused) == ["windlass"]


def test_going_back_to_a_model_embeds_nothing_twice(layout: Layout, other: None) -> None:
    keep(layout, user("The anchor was lost."))
    with_graph(layout, ingest_all)

    embedded = []
    for model in (NAME, "minilm-int8", NAME):
        use(layout, model)
        embedded.append(make_again(layout))

    assert embedded == [1, 0, 0]


def test_deleted_caches_and_caches_of_another_time_are_made_again(layout: Layout) -> None:
    keep(layout, user("The anchor was lost."))

    async def fill(graph: Graph) -> tuple[Scores, Scores]:
        await entity(graph, "windlass", abstract="raises the anchor")
        await ingest_all(graph)
        return await asked(graph)

    first = with_graph(layout, fill)
    held = shutil.copytree(layout.vectors, layout.root / "held")
    for path in layout.vectors.glob("search-*"):
        shutil.rmtree(path)
    assert with_graph(layout, asked) == first

    keep(layout, user("Another anchor was found."), session="s2")

    async def more(graph: Graph) -> tuple[Scores, Scores]:
        await entity(graph, "buoy", abstract="marks where the anchor is")
        await ingest_all(graph)
        return await asked(graph)

    second = with_graph(layout, more)
    shutil.rmtree(layout.vectors)
    held.rename(layout.vectors)

    assert with_graph(layout, asked) == second
    assert [len(found) for found in second] == [2, 2]


def test_what_is_asked_and_recorded_at_once_is_found_afterwards(layout: Layout) -> None:
    for number in range(4):
        keep(layout, user(f"The anchor number {number} was lost."), session=f"s{number}")

    async def work(graph: Graph) -> tuple[int, int]:
        await entity(graph, "windlass")
        await asyncio.gather(
            ingest_all(graph),
            *(asked(graph) for _ in range(5)),
            *(entity(graph, f"anchor {number}") for number in range(5)),
        )
        hits, fragments = await asked(graph)
        return len(hits), len(fragments)

    assert with_graph(layout, work) == (6, 4)
    assert [len(found) for found in with_graph(layout, asked)] == [6, 4]
