"""A store that takes a process down is named by the next one; what is no file is not waited for."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from recall_plugin.errors import StoreDamaged
from recall_plugin.graph.store.engine import Engine
from recall_plugin.graph.store.guard import guarded

ABORT = """
import asyncio, os, sys
from pathlib import Path
from recall_plugin.graph.store.guard import guarded
async def open_and_die():
    async with guarded(Path(sys.argv[1])):
        os.abort()
asyncio.run(open_and_die())
"""


async def _opened(path: Path) -> None:
    await (await Engine.open(path)).close()


def test_a_store_that_only_seemed_to_take_its_process_down_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "surreal"
    asyncio.run(_opened(path))
    died = subprocess.run([sys.executable, "-c", ABORT, str(path)], check=False, capture_output=True)

    asyncio.run(_opened(path))

    assert died.returncode < 0
    assert not path.with_name("surreal.opening").exists()


@pytest.mark.timeout(60)
def test_a_store_that_takes_every_process_down_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "surreal"
    path.mkdir()
    path.with_name("surreal.opening").touch()
    monkeypatch.setattr("recall_plugin.graph.store.guard._TRIAL", "import os; os.abort()")

    with pytest.raises(StoreDamaged, match="the engine aborts"):
        asyncio.run(_opened(path))


@pytest.mark.timeout(60)
def test_a_store_that_never_opens_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "surreal"
    path.mkdir()
    path.with_name("surreal.opening").touch()
    monkeypatch.setattr("recall_plugin.graph.store.guard._TRIAL", "import time; time.sleep(100)")
    monkeypatch.setattr("recall_plugin.graph.store.guard._TRIAL_SECONDS", 0.5)

    with pytest.raises(StoreDamaged, match="did not open within"):
        asyncio.run(_opened(path))


@pytest.mark.timeout(60)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "surreal"
    asyncio.run(_opened(path))
    manifest = next((path / "manifest").iterdir())
    manifest.unlink()
    os.mkfifo(manifest)

    with pytest.raises(StoreDamaged, match="not a regular file"):
        asyncio.run(_opened(path))


def test_an_error_while_opening_leaves_no_mark(tmp_path: Path) -> None:
    async def fail() -> None:
        async with guarded(tmp_path / "surreal"):
            raise OSError

    with pytest.raises(OSError):  # noqa: PT011 (that it passes through is the matter)
        asyncio.run(fail())

    assert list(tmp_path.iterdir()) == []
