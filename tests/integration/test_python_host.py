"""docs/python-host.md does what it says: its program runs as it stands there, with a real store and the real model."""

from __future__ import annotations

import asyncio
import os
import re
import runpy
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pulse_hookspecs import ArchiveReceipt, Down, Message, Plugins, SessionMeta, TextBlock
from recall_plugin.domain.fence import printed
from recall_plugin.domain.journal.events import Printed, parse
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import StoreHeld
from recall_plugin.files.journal.journal import Journal
from recall_plugin.files.print_key import print_key
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.opening import open_graph
from recall_plugin.memory.graph.settings import graph_settings

GUIDE = (Path(__file__).parents[2] / "docs" / "python-host.md").read_text(encoding="utf-8")
[PROGRAM] = re.findall(r"^```python\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)
[SHOWN] = re.findall(r"^```text\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The program of the page, saved as it says."""
    path = tmp_path / "host.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def run(program: Path) -> str:
    """What the program printed on the root `nia` beside it; every warning is an error there."""
    done = subprocess.run(
        [sys.executable, program.name, "nia"],
        cwd=program.parent, env={**os.environ, "PYTHONWARNINGS": "error"},
        capture_output=True, encoding="utf-8", timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


def without_codes(text: str, root: str) -> str:
    """`text` as the page shows it, whatever ids and codes the fences have and wherever the root is."""
    plain = re.sub(r"^\[recall \w+ (begins|ends) [^\]]*\]$", r"[\1]", text, flags=re.MULTILINE)
    # On a slow machine the plugin is stopped before its thread is done, and the program does the rest.
    return plain.replace("ingested conversation 1 \n", "").replace(root, "ROOT")


def test_the_program_prints_what_the_page_shows_and_a_second_run_learns_nothing_new(program: Path) -> None:
    root = program.with_name("nia")

    first, second = run(program), run(program)

    assert without_codes(first, str(root)) == without_codes(SHOWN, "/home/ada/nia")
    assert "archived: 0 messages\n" in second
    assert "the agent says so: from 0.630 to 0.630\nthe person says so: from 0.630 to 0.630\n" in second


def test_what_the_program_printed_is_known_for_its_own_and_on_record(program: Path) -> None:
    blocks = printed(run(program), print_key(os.environ).key)

    events = [parse(entry.kind, entry.v, entry.fields) for entry in Journal(Layout(program.with_name("nia"))).read()]
    prints = [event for event in events if isinstance(event, Printed)]
    assert [block.verified and block.complete for block in blocks] == [True, True]
    assert [event.print for event in prints] == [block.print_id for block in blocks]
    assert prints[1].episodes == ((1, 0),)


def test_a_hook_that_takes_longer_than_it_has_is_given_up_on_while_the_loop_goes_on(program: Path) -> None:
    in_time: Any = runpy.run_path(str(program))["in_time"]

    async def host() -> tuple[object, float]:
        started = time.monotonic()
        answer = await in_time(0.05, time.sleep, 0.5)
        return answer, time.monotonic() - started

    answer, seconds = asyncio.run(host())

    assert answer == Down(reason="no answer within 0.05 s")
    assert seconds < 0.4


def test_a_host_that_keeps_the_graph_open_locks_the_plugins_thread_out_and_nothing_is_lost(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "nia")
    layout.root.mkdir()
    message = Message(id="m-1", role="user", blocks=(TextBlock(text="The deployment window is Tuesday morning."),))
    plugins = Plugins.load()

    async def host() -> tuple[object, list[int]]:
        await asyncio.to_thread(plugins.start, pulse_root=layout.root, pulse_name="nia")
        layout.config.write_text("[graph]\nstore_patience_secs = 0\n")
        layout.config.chmod(0o600)
        settings = graph_settings(layout, os.environ)
        async with open_graph(layout, settings, now=now()) as graph:
            receipt = await asyncio.to_thread(plugins.archive_session, SessionMeta(session_id="s-1"), (message,))
            await asyncio.to_thread(plugins.stop)  # the thread has ended, and has tried
            with pytest.raises(StoreHeld):
                await open_graph(layout, settings, now=now()).__aenter__()
            return receipt, [one.archive for one in await ingest_waiting(graph, now=now)]

    receipt, ingested = asyncio.run(host())

    assert isinstance(receipt, ArchiveReceipt)
    assert receipt.archived
    assert ingested == [1]
