"""A command that meets a held store says who holds it and since when, and leaves nothing to clean behind."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from conftest import Recall

from recall_plugin.domain.layout import Layout

# Opens the graph and keeps it open.
HOLDER = """
import asyncio, sys
from pathlib import Path
from graph_memory import NOW, settings_of
from recall_plugin.domain.layout import Layout
from recall_plugin.memory.graph.opening import open_graph

async def main():
    layout = Layout(Path(sys.argv[1]))
    async with open_graph(layout, settings_of(layout), now=NOW):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def holder(layout: Layout) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the graph open."""
    layout.config.write_text("[graph]\nstore_patience_secs = 0.3\n")
    layout.config.chmod(0o600)
    command = [sys.executable, "-c", HOLDER, str(layout.root)]
    environment = {"PYTHONPATH": ":".join(sys.path), "HOME": str(layout.root)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.parametrize("command", [["graph", "status"], ["rebuild"]], ids=" ".join)
def test_a_held_store_is_exit_4_with_pid_and_start_and_a_killed_holder_is_forgotten(
    recall: Recall, layout: Layout, holder: subprocess.Popen[str], command: list[str]
) -> None:
    words = ["--pulse-root", layout.root, *command]

    held = recall(*words)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    free = recall(*words)

    assert held.returncode == 4
    told = re.search(
        rf"held by process {holder.pid}, started at \d{{4}}-\d\d-\d\dT[\d:]+Z; waited 0\.[3-9] s", held.stderr
    )
    assert told is not None, held.stderr
    assert held.stdout == ""
    assert free.returncode == 0, free.stderr
