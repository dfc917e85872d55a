"""One open graph that several tests of a module share, with the loop that it is open in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from graph_memory import NOW, settings_of

from recall_plugin.memory.graph.opening import Graph, open_graph
from recall_plugin.memory.setup import make_memory


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One loop for all tests of a module."""
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="module")
def graph(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """A graph, empty at first, which the tests of a module fill."""
    layout = make_memory(tmp_path_factory.mktemp("memory") / "nia").layout
    opening = open_graph(layout, settings_of(layout), now=NOW)
    yield runner.run(opening.__aenter__())
    runner.run(opening.__aexit__(None, None, None))
