"""A hook pays for every import, so the commands that hooks run load the standard library and us, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SAMPLES, Recall

OURS = {"recall_plugin", "recall_adapters"}
TRANSCRIPT = next((SAMPLES / "claude-code" / "home").rglob("7c1f*.jsonl"))
PROGRAM = """
import sys
before = set(sys.modules)
from recall_plugin.cli.main import main
status = main(sys.argv[1:])
print(status, *sorted({name.partition(".")[0] for name in set(sys.modules) - before}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "command", [["consume"], ["archive-session"], ["checkpoint"], ["status"], ["health"], ["search", "x"]]
)
def test_a_command_that_a_hook_may_run_loads_only_the_standard_library(
    recall: Recall, tmp_path: Path, command: list[str]
) -> None:
    recall("init", tmp_path / "nia")
    payload = {"session_id": "x", "transcript_path": str(TRANSCRIPT), "cwd": "/", "hook_event_name": "SessionEnd"}

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command],
        input=json.dumps(payload), env=recall.environment, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    status, *loaded = done.stderr.splitlines()[-1].split()

    assert status == "0"
    assert set(loaded) - set(sys.stdlib_module_names) == OURS & set(loaded)
    assert "asyncio" not in loaded
    assert "recall_plugin" in loaded


def test_importing_the_plugin_opens_and_prints_nothing(recall: Recall) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import recall_plugin.plugin, pulse_hookspecs, pulse_host"],
        env=recall.environment, capture_output=True, check=True, cwd=recall.cwd,
    )  # fmt: skip

    assert (done.stdout, done.stderr) == (b"", b"")
    assert list(recall.cwd.iterdir()) == []
