"""The samples of tests/samples/claude-code, made by hand after public transcripts and issues up to 2026-09-18.

expected.json says what each comes to; it was written before the adapter.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recall_adapters import open_transcript
from recall_plugin.domain.conversation import Role, Turn
from recall_plugin.domain.instants import format_instant
from recall_plugin.domain.transcript import Transcript

SAMPLES = Path(__file__).parents[1] / "samples" / "claude-code"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_bytes())["samples"]
NAMES = {name: name.rpartition("/")[2].partition("-")[0] for name in EXPECTED}
FULL = next(name for name in EXPECTED if EXPECTED[name].get("title"))

every_sample = pytest.mark.parametrize("name", EXPECTED, ids=NAMES.get)


def opened(name: str) -> tuple[list[Turn], Transcript]:
    transcript = open_transcript(SAMPLES / name)
    return list(transcript.turns()), transcript


def spoken(turns: list[Turn]) -> list[tuple[str, str, str]]:
    return [
        (turn.role.value, turn.text, format_instant(turn.time)) for turn in turns if turn.tool is None and turn.time
    ]


def stated(messages: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return sorted(((m["role"], m["text"], m["timestamp"]) for m in messages), key=lambda message: message[2])


@every_sample
def test_a_sample_holds_exactly_the_messages_that_were_said_in_order_with_their_times(name: str) -> None:
    expected = EXPECTED[name]

    turns, transcript = opened(name)

    own = [turn for turn in turns if turn.id not in transcript.report.inherited]
    assert spoken(own) == stated(expected["messages"] + expected.get("optional_messages", []))


@every_sample
def test_a_message_is_known_by_the_uuid_of_its_record(name: str) -> None:
    turns, _ = opened(name)

    ids = {turn.id for turn in turns}
    wanted = [m["uuid"] for m in EXPECTED[name]["messages"] + EXPECTED[name].get("inherited_messages", []) if m["uuid"]]
    assert ids.issuperset(wanted)


@every_sample
def test_nothing_that_no_person_said_stands_in_a_user_turn(name: str) -> None:
    turns, _ = opened(name)

    speech = "\n".join(turn.text for turn in turns if turn.role is Role.USER)
    assert [text for text in EXPECTED[name].get("never_as_user_speech", []) if text in speech] == []


@every_sample
def test_a_session_is_known_before_its_turns_are_read(name: str) -> None:
    transcript = open_transcript(SAMPLES / name)

    session = transcript.session

    assert (session.id, session.agent) == (EXPECTED[name]["session_id"], "claude-code")
    assert session.cwd == EXPECTED[name].get("cwd", "")


@every_sample
def test_reading_again_gives_the_same_turns_and_the_same_report(name: str) -> None:
    turns, transcript = opened(name)
    report = transcript.report

    again = list(transcript.turns())

    assert again == turns
    assert transcript.report == report


@every_sample
def test_each_id_comes_once(name: str) -> None:
    turns, _ = opened(name)

    assert [id_ for id_, count in Counter(turn.id for turn in turns).items() if count > 1] == []


def test_the_tools_of_the_full_session_are_counted_with_the_files_they_read_and_wrote() -> None:
    turns, _ = opened(FULL)

    tools = [turn.tool for turn in turns if turn.tool]
    assert Counter(tool.name for tool in tools) == EXPECTED[FULL]["tools"]
    assert sorted({p for t in tools if t.writes for p in t.paths}) == EXPECTED[FULL]["files_touched"]
    assert sorted({p for t in tools if not t.writes for p in t.paths}) == EXPECTED[FULL]["files_read"]


def test_the_full_session_has_the_title_that_the_person_gave_it_and_one_unknown_type() -> None:
    _, transcript = opened(FULL)

    assert transcript.report.title == EXPECTED[FULL]["title"]
    assert transcript.report.unknown_types == {"hologram-sync": 1}
    assert transcript.report.skipped_lines == 0
    assert transcript.report.warnings == []


def test_the_fork_tells_what_it_inherited_and_from_whom() -> None:
    name = next(name for name in EXPECTED if "inherited_from" in EXPECTED[name])

    turns, transcript = opened(name)

    inherited = [turn for turn in turns if turn.id in transcript.report.inherited]
    assert spoken(inherited) == stated(EXPECTED[name]["inherited_messages"])
    assert transcript.report.inherited_from == EXPECTED[name]["inherited_from"]
    assert [turn.id for turn in inherited if turn.tool][-1].endswith("~")


def test_the_subagents_file_is_called_what_it_is() -> None:
    name = next(name for name in EXPECTED if EXPECTED[name].get("is_subagent"))

    turns, transcript = opened(name)

    assert turns == []
    assert transcript.report.warnings == ["agent-a9f31c2.jsonl is the conversation of a subagent, not of a person"]
