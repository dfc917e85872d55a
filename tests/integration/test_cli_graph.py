"""`recall graph …` and `recall rebuild` as processes, with a real store, journal, model and terminal."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from at_a_terminal import run_at_terminal
from conftest import SAMPLES, Recall

from recall_plugin.domain.actor import Actor, ActorKind
from recall_plugin.domain.fence import printed
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal.journal import Journal
from recall_plugin.files.print_key import print_key
from recall_plugin.memory.graph.opening import open_graph
from recall_plugin.memory.graph.relating import NewEntity, add_entity
from recall_plugin.memory.graph.settings import graph_settings

TRANSCRIPT = next((SAMPLES / "claude-code" / "home").rglob("7c1f*.jsonl"))
PERSON = Actor(ActorKind.PERSON, "the test says so")
Person = Callable[..., tuple[int, str]]


@pytest.fixture
def layout(recall: Recall, tmp_path: Path) -> Layout:
    """A memory, registered."""
    assert recall("init", tmp_path / "nia").returncode == 0
    return Layout(tmp_path / "nia")


@pytest.fixture
def person(recall: Recall) -> Person:
    """`recall graph …` typed by a person at a terminal."""

    def run(*arguments: str) -> tuple[int, str]:
        argv = [sys.executable, "-m", "recall_plugin.cli", "graph", *arguments]
        return run_at_terminal(argv, recall.environment, recall.cwd)

    return run


@pytest.fixture
def known(recall: Recall, layout: Layout) -> None:
    """Three entities, added by a program, which is quicker."""
    settings = graph_settings(layout, recall.environment)

    async def add() -> None:
        async with open_graph(layout, settings, now=datetime.now(UTC)) as graph:
            for name in ("api", "port 22", "port 49222"):
                await add_entity(graph, NewEntity(name, EntityType.CONCEPT), PERSON, now=datetime.now(UTC))

    asyncio.run(add())


def _json(recall: Recall, *arguments: str) -> Any:
    done = recall(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("known")
def test_a_persons_word_is_authoritative_and_the_agents_is_its_own(recall: Recall, person: Person) -> None:
    status, shown = person("relate", "api", "--rel", "listens on", "--target", "port 49222", "--json")
    by_person = json.loads(shown)["after"]
    by_agent = _json(recall, "graph", "relate", "api", "--rel", "LISTENS_ON", "--target", "port 22",
                     "--context", "authoritative", "--class", "external", "--origin", "rfc.example")  # fmt: skip

    assert status == 0
    assert (by_person["confidence"], by_person["context"]) == (1.0, "authoritative")
    assert (by_agent["after"]["confidence"], by_agent["after"]["context"]) == (0.6, "inferred")
    assert "the agent's own word" in by_agent["notes"][0]


@pytest.mark.usefixtures("known")
def test_an_agent_sets_no_confidence(recall: Recall) -> None:
    done = recall("graph", "relate", "api", "--rel", "USES", "--target", "port 22", "--confidence", "1")

    assert done.returncode == 1
    assert "takes a person" in done.stderr


@pytest.mark.usefixtures("known")
def test_a_correction_takes(recall: Recall, person: Person) -> None:
    for number in range(6):
        person("relate", "api", "--rel", "LISTENS_ON", "--target", "port 22", "--class", "external",
               "--origin", f"site-{number}.example", "--context", "explicit")  # fmt: skip
    before = _json(recall, "graph", "show", "api")["relations"][0]

    person("correct", "api", "--rel", "LISTENS_ON", "--target", "port 22", "--wrong", "--quote", "no, 49222")
    person("relate", "api", "--rel", "LISTENS_ON", "--target", "port 49222")
    asked = _json(recall, "graph", "query", "which port does api use")
    new, old = asked["relations"]

    assert new["target"] == "port 49222"
    assert old["target"] == "port 22"
    assert 0.5 < old["confidence"] < before["confidence"]
    assert old["origins"] == 6
    assert "disputed by you on 20" in old["standing"]
    assert old["sources"][0]["quote"] == "no, 49222"


@pytest.mark.usefixtures("known")
def test_an_entity_that_exists_is_no_new_one(recall: Recall) -> None:
    done = recall("graph", "add-entity", "API", "--type", "concept")

    assert done.returncode == 1
    assert "there is concept 'api' already" in done.stderr


def test_an_unknown_entity_is_refused_with_what_may_be_meant(recall: Recall, known: None) -> None:
    done = recall("graph", "traverse", "prot 22")

    assert done.returncode == 1
    assert "did you mean 'port 22'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["traverse", "api", "--depth", "0"], "--depth"),
        (["query", "  "], "question is empty"),
        (["query", "x", "--limit", "0"], "--limit"),
        (["episodes", "x", "--since", "yesterday"], "--since"),
        (["relate", "api", "--rel", "!", "--target", "port 22"], "type"),
        (["relate", "api", "--rel", "USES", "--target", "api"], "itself"),
        (["relate", "api", "--rel", "USES", "--target", "port 22", "--at", "soon"], "--at"),
        (["relate", "api", "--rel", "USES", "--target", "port 22", "--confidence", "2"], "--confidence"),
        (["add-entity", "x" * 10_000, "--type", "tool"], "200 characters"),
        (["add-entity", "\u200b", "--type", "tool"], "visible"),
        (["add-entity", "x", "--type", "tool", "--attribute", "novalue"], "NAME=VALUE"),
        (["frobnicate"], "unknown command"),
    ],
)
@pytest.mark.usefixtures("known")
def test_what_makes_no_sense_is_named(recall: Recall, arguments: list[str], wrong: str) -> None:
    done = recall("graph", *arguments)

    assert done.returncode == 2
    assert wrong in done.stderr
    assert "Traceback" not in done.stderr


def test_a_session_is_archived_ingested_and_asked_for_with_its_source(recall: Recall, layout: Layout) -> None:
    recall("archive", TRANSCRIPT)
    ingested = _json(recall, "graph", "ingest-all")
    found = _json(recall, "graph", "episodes", "what is wrong with the parser?", "--limit", "2")["episodes"]

    assert ingested[0]["episodes"] >= 1
    assert found[0]["archive"] == 1
    assert found[0]["turn"] >= 1
    assert found[0]["role"] in {"user", "assistant", "tool"}
    assert found[0]["time"].endswith("Z")
    assert found[0]["text"]


def test_what_a_hook_archived_is_found_by_the_next_question(recall: Recall, layout: Layout) -> None:
    payload = {"session_id": "x", "transcript_path": str(TRANSCRIPT), "cwd": "/", "hook_event_name": "SessionEnd"}
    recall("archive-session", stdin=json.dumps(payload).encode())

    assert _json(recall, "graph", "episodes", "what is wrong with the parser?")["episodes"]


@pytest.mark.usefixtures("known")
def test_what_is_printed_for_a_program_is_fenced_and_recorded(recall: Recall, layout: Layout) -> None:
    recall("graph", "relate", "api", "--rel", "USES", "--target", "port 22")
    shown = recall("graph", "traverse", "api").stdout
    key = print_key(recall.environment)
    [block] = printed(shown, key.key)
    prints = [entry.fields for entry in Journal(layout).read() if entry.kind == "print"]

    assert block.verified
    assert block.complete
    assert (block.start, block.end) == (0, len(shown.rstrip("\n")))
    assert prints[-1]["print"] == block.print_id
    assert prints[-1]["command"] == "traverse"
    assert len(prints[-1]["relations"]) == 1


@pytest.mark.usefixtures("known")
def test_a_rebuild_changes_nothing(recall: Recall, person: Person, layout: Layout) -> None:
    recall("archive", TRANSCRIPT)
    recall("graph", "ingest-all")
    person("relate", "api", "--rel", "LISTENS_ON", "--target", "port 22", "--class", "user")
    person("correct", "api", "--rel", "LISTENS_ON", "--target", "port 22", "--wrong")
    before = _json(recall, "graph", "show", "api"), _json(recall, "graph", "episodes", "parser")

    rebuilt = _json(recall, "rebuild")
    after = _json(recall, "graph", "show", "api"), _json(recall, "graph", "episodes", "parser")

    assert rebuilt["embedded"] == 0
    before[0]["accesses"] = after[0]["accesses"] = before[0]["last_access"] = after[0]["last_access"] = None
    assert after == before


def test_the_graph_costs_nothing_but_a_rebuild(recall: Recall, layout: Layout, known: None) -> None:
    recall("archive", TRANSCRIPT)
    recall("graph", "ingest-all")
    before = _json(recall, "graph", "status")["counts"]
    shutil.rmtree(layout.graph)

    after = _json(recall, "graph", "status")["counts"]

    assert {**after, "access": 0} == {**before, "access": 0}


def test_two_pulses_know_nothing_of_each_other(recall: Recall, person: Person, known: None, tmp_path: Path) -> None:
    recall("init", tmp_path / "other")

    mine = _json(recall, "graph", "search", "port", "--keyword")
    others = _json(recall, "graph", "search", "port", "--keyword", "--pulse-root", str(tmp_path / "other"))

    assert len(mine["entities"]) == 2
    assert others["entities"] == []


def test_a_refused_config_stops_what_would_learn_and_keeps_sessions(recall: Recall, layout: Layout) -> None:
    layout.config.write_text("[graph.provenance]\nweight_user = -1\n")
    layout.config.chmod(0o600)

    asked, archived, health = recall("graph", "status"), recall("archive", TRANSCRIPT), recall("health")

    assert asked.returncode == 1
    assert "graph.provenance.weight_user" in asked.stderr
    assert archived.returncode == 0
    assert health.returncode == 1


@pytest.mark.usefixtures("known")
def test_a_config_in_the_current_folder_decides_nothing(recall: Recall) -> None:
    folder = recall.cwd / "memory"
    folder.mkdir()
    (folder / ".recall-echo.toml").write_text("[graph.embedding]\nmodel = 'nonsense'\n")

    assert recall("graph", "search", "port").returncode == 0


@pytest.mark.usefixtures("known")
def test_an_unknown_model_is_refused_and_the_old_one_is_not_mixed_with(recall: Recall, layout: Layout) -> None:
    recall("graph", "search", "port")
    layout.config.write_text("[graph.embedding]\nmodel = 'no-such-model'\n")
    layout.config.chmod(0o600)

    done = recall("graph", "search", "port")

    assert done.returncode == 2
    assert "no-such-model" in done.stderr
    assert recall("graph", "search", "port", "--keyword").returncode == 0
