"""`recall config set` of what decides how much the agent's word weighs: a person's alone (law 11)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from at_a_terminal import run_at_terminal
from conftest import Recall

SET_WEIGHT = ["config", "set", "graph.provenance.weight_self", "0.1"]
COMMENTED = "# mine\n[graph.provenance]  # weights\nweight_user = 0.5 # lower\n"


@pytest.fixture
def config_file(recall: Recall, tmp_path: Path) -> Path:
    """Where the config of a registered memory stands; there is none yet."""
    done = recall("init", tmp_path / "nia")
    assert done.returncode == 0, done.stderr
    return tmp_path / "nia" / "memory" / ".recall-echo.toml"


def type_recall(recall: Recall, *arguments: str, **environment: str) -> tuple[int, str]:
    """`recall ARGUMENTS` typed at a terminal."""
    command = [sys.executable, "-m", "recall_plugin.cli", *arguments]
    return run_at_terminal(command, {**recall.environment, **environment}, recall.cwd)


def test_a_person_at_a_terminal_sets_a_weight_and_every_comment_stays(recall: Recall, config_file: Path) -> None:
    config_file.write_text(COMMENTED)
    config_file.chmod(0o600)

    code, shown = type_recall(recall, *SET_WEIGHT)

    assert (code, shown) == (0, f"graph.provenance.weight_self is set in {config_file}\n")
    assert config_file.read_text() == COMMENTED + "weight_self = 0.1\n"


@pytest.mark.parametrize("setting", [SET_WEIGHT[2:], ["graph.origins.self", "session"]])
def test_without_a_terminal_no_weight_is_set_and_the_way_out_is_told(
    recall: Recall, config_file: Path, setting: list[str]
) -> None:
    done = recall("config", "set", *setting)

    assert done.returncode == 1
    assert f"setting {setting[0]} takes a person" in done.stderr
    assert "stdin is no terminal" in done.stderr
    assert f"run the command yourself in a terminal, or edit {config_file}" in done.stderr
    assert not config_file.exists()


def test_an_agent_at_a_terminal_sets_no_weight(recall: Recall, config_file: Path) -> None:
    code, shown = type_recall(recall, *SET_WEIGHT, GEMINI_CLI="1")

    assert code == 1
    assert "GEMINI_CLI is set" in shown
    assert not config_file.exists()


def test_what_decides_no_weight_is_the_agents_to_set_too(recall: Recall, config_file: Path) -> None:
    done = recall("config", "set", "graph.scoring.semantic", "1")

    assert done.returncode == 0, done.stderr
    assert config_file.read_text() == "[graph.scoring]\nsemantic = 1\n"


def test_a_wrong_weight_is_wrong_usage_for_a_person_too(recall: Recall, config_file: Path) -> None:
    code, shown = type_recall(recall, "config", "set", "graph.provenance.weight_self", "nan")

    assert code == 2
    assert "does not take nan: input should be a finite number" in shown
    assert not config_file.exists()


def test_show_tells_what_a_setting_of_few_words_takes(recall: Recall, config_file: Path) -> None:
    settings = json.loads(recall("config", "show", "--json").stdout)["settings"]

    assert {"origin or session"} == {one["range"] for one in settings if one["name"] == "graph.origins.self"}
    assert "(rule, origin or session; default 'origin')" in recall("config", "show").stdout
