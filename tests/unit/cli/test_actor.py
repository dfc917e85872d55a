"""A person is told from the agent by terminals, environment and parent processes; all of them are real ones here."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from at_a_terminal import run_at_terminal

from recall_plugin.cli.actor import MARKERS

PROBE = """
import json, os
from recall_plugin.cli.actor import find_actor
actor = find_actor(os.environ)
open(os.environ["ANSWER"], "w").write(json.dumps([actor.kind, actor.why]))
"""
ALL_MARKERS = """
import json
from recall_plugin.cli.actor import MARKERS, find_actor
print(json.dumps([[find_actor({marker: "1"}).why, find_actor({marker: ""}).kind] for marker in MARKERS]))
"""
# `"$@"` as the last line, and a shell would turn itself into the command.
RUN = '#!/bin/sh\n"$@"\nexit $?\n'


def bare(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "ANSWER": str(tmp_path / "answer"),
    }


def ask(
    tmp_path: Path, wrapper: Sequence[str | Path] = (), environment: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Who the probe says is there, and why, when `wrapper` runs it at a terminal."""
    code, shown = run_at_terminal(
        [*wrapper, sys.executable, "-c", PROBE], {**bare(tmp_path), **(environment or {})}, tmp_path
    )
    assert code == 0, shown
    kind, why = json.loads((tmp_path / "answer").read_text())
    return kind, why


def script(path: Path, text: str = RUN) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_whoever_types_at_a_terminal_is_a_person(tmp_path: Path) -> None:
    assert ask(tmp_path)[0] == "person"


@pytest.mark.parametrize(
    ("redirection", "why"),
    [
        ("</dev/null", "stdin is no terminal"),
        ("<&-", "stdin is no terminal"),
        ("2>/dev/null", "stderr is no terminal"),
        ("2>&-", "stderr is no terminal"),
    ],
)
def test_without_a_terminal_it_is_the_agent(tmp_path: Path, redirection: str, why: str) -> None:
    wrapper = ["sh", "-c", f'"$@" {redirection}', "sh"]

    assert ask(tmp_path, wrapper) == ("agent", why)


def test_a_person_may_pipe_what_a_command_prints(tmp_path: Path) -> None:
    assert ask(tmp_path, ["sh", "-c", '"$@" | cat', "sh"])[0] == "person"


def test_a_marker_in_the_environment_is_the_agent(tmp_path: Path) -> None:
    assert ask(tmp_path, environment={"CLAUDECODE": "1"}) == ("agent", "CLAUDECODE is set")


def test_every_marker_counts_unless_it_is_empty(tmp_path: Path) -> None:
    _, shown = run_at_terminal([sys.executable, "-c", ALL_MARKERS], bare(tmp_path), tmp_path)

    assert json.loads(shown) == [[f"{marker} is set", "person"] for marker in MARKERS]


def test_a_persons_settings_for_an_agent_make_no_agent(tmp_path: Path) -> None:
    settings = {"CODEX_HOME": "/x", "HERMES_HOME": "/x", "AIDER_MODEL": "x", "COPILOT_GITHUB_TOKEN": "x", "CI": "1"}

    assert ask(tmp_path, environment=settings)[0] == "person"


@pytest.mark.parametrize("name", ["claude", "codex", "cursor-agent", "Gemini", "codex-x86_64-unknown-linux-musl"])
def test_a_parent_of_an_agents_name_is_the_agent(tmp_path: Path, name: str) -> None:
    kind, why = ask(tmp_path, [script(tmp_path / "bin" / name)])

    told = re.fullmatch(r"process \d+ `(.+)` is a parent", why)
    assert kind == "agent"
    assert told
    assert name.lower().startswith(told.group(1))  # the kernel keeps 15 letters


def test_a_parent_further_up_counts_as_well(tmp_path: Path) -> None:
    agent, between = script(tmp_path / "opencode"), script(tmp_path / "between")

    kind, why = ask(tmp_path, [agent, between, between, between])

    assert (kind, why.split()[2:]) == ("agent", ["`opencode`", "is", "a", "parent"])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("bin/claude", "claude"),
        ("lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude-code"),
        ("lib/node_modules/@openai/codex/bin/codex.js", "codex"),
        ("lib/node_modules/@google/gemini-cli/dist/index.js", "gemini-cli"),
    ],
)
def test_an_agent_that_an_interpreter_runs_is_found_by_its_script(tmp_path: Path, path: str, name: str) -> None:
    (tmp_path / "node").symlink_to("/bin/sh")

    kind, why = ask(tmp_path, [tmp_path / "node", script(tmp_path / path)])

    assert (kind, why.split()[2]) == ("agent", f"`{name}`")


@pytest.mark.parametrize("path", ["claude/tool", "claudette", "my-gemini-notes", "codex.d/run"])
def test_a_script_that_only_resembles_an_agent_is_none(tmp_path: Path, path: str) -> None:
    assert ask(tmp_path, ["sh", script(tmp_path / path)])[0] == "person"
    assert ask(tmp_path, [script(tmp_path / path)])[0] == "person"
