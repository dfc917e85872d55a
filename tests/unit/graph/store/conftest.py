"""Stores that several examples of one test share, with the loop that they are open in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recall_plugin.graph.store.store import Store


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One loop for all tests of a module."""
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="module")
def new_store(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Store]]:
    """Makes stores, which are closed at the end."""
    made: list[Store] = []

    def new(path: Path | None = None) -> Store:
        made.append(runner.run(Store.open(path or tmp_path_factory.mktemp("stores") / "store")))
        return made[-1]

    yield new
    for store in made:
        runner.run(store.close())


@pytest.fixture(scope="module")
def store(new_store: Callable[[], Store]) -> Store:
    """A store that all tests of a module share."""
    return new_store()
