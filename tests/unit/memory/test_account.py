"""The account at the door: what became of every session, without the store."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall_adapters.claude_hooks import HookPayload, parse_payload
from recall_plugin.domain.health import Degraded, Healthy
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import TranscriptError
from recall_plugin.files.archiving import Outcome
from recall_plugin.files.graph_state import GraphState, read_state, write_state
from recall_plugin.files.journal.journal import Journal
from recall_plugin.files.lock import folder_lock
from recall_plugin.memory import account
from recall_plugin.memory.archive import archive_hook
from recall_plugin.memory.policy import settings
from recall_plugin.memory.status import status


def _payload(session: str, transcript: Path) -> HookPayload:
    payload = {"session_id": session, "transcript_path": str(transcript), "cwd": "/", "hook_event_name": "SessionEnd"}
    return parse_payload(json.dumps(payload).encode())


def test_an_archived_session_is_in_the_account(layout: Layout) -> None:
    problem = account.note_archived(layout, Outcome("s1", number=1, messages=4, tools=2), "session")

    known = account.known(layout)

    assert problem == ""
    assert known.account.archived == 1
    assert known.behind == 1


def test_a_hook_that_fails_is_in_the_account_until_the_session_is_archived(layout: Layout, tmp_path: Path) -> None:
    with pytest.raises(TranscriptError):
        archive_hook(layout, _payload("s1", tmp_path / "gone.jsonl"), settings(layout), source="session")
    ill = status(layout).health
    account.note_archived(layout, Outcome("s1", number=1), "session")
    well = status(layout).health

    assert isinstance(ill, Degraded)
    assert "session s1 was not archived" in ill.reasons[0]
    assert isinstance(well, Healthy)


def test_a_session_with_nothing_new_is_noted_only_if_it_had_failed(layout: Layout) -> None:
    account.note_archived(layout, Outcome("s1"), "session")
    before = Journal(layout).last_number()
    account.note_failed(layout, "s1", "session", "the disk was full")
    account.note_archived(layout, Outcome("s1"), "session")

    assert before == 0
    assert account.known(layout).account.sessions == {}


def test_a_secret_in_a_reason_does_not_reach_the_journal(layout: Layout) -> None:
    account.note_failed(layout, "s1", "session", "cannot read /x?token=ghp_16C7e42F292c6912E7710c838347Ae178B4a")

    assert b"16C7e42F292c6912E7710c838347" not in next(layout.journal.glob("*.jsonl")).read_bytes()


def test_noting_waits_for_nobody(layout: Layout) -> None:
    Journal(layout).append([{"kind": "x"}], now=datetime.now(UTC))
    with folder_lock(layout.journal_lock):
        problem = account.note_print(layout, "0123456789abcdef", "consume")
    waiting = Journal(layout).state().waiting

    assert problem == ""
    assert waiting == 1


def test_a_journal_that_cannot_be_written_is_told_and_stops_nothing(layout: Layout) -> None:
    layout.journal.write_text("a file where the folder should be")

    assert "not in the account" in account.note_archived(layout, Outcome("s1", number=1), "session")


def test_what_the_owner_told_and_the_rest_of_the_journal_make_the_account(layout: Layout) -> None:
    account.note_archived(layout, Outcome("s1", number=1), "session")
    layout.graph.mkdir()
    told = account.known(layout).account
    write_state(layout, GraphState(applied=1, account=told, counts={"entity": 3}))
    account.note_failed(layout, "s2", "session", "no space")

    known = account.known(layout)

    assert known.behind == 1
    assert known.account.archived == 1
    assert list(known.account.sessions) == ["s2"]
    assert known.graph.counts["entity"] == 3


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"applied": "x"}', b'{"account": 3}', b"\xff\xfe", b"null"])
def test_a_damaged_state_file_is_as_good_as_none(layout: Layout, content: bytes) -> None:
    layout.graph.mkdir()
    layout.graph_state.write_bytes(content)

    assert read_state(layout) == GraphState()


def test_a_journal_that_holds_less_than_the_graph_knows_is_a_trouble(layout: Layout) -> None:
    layout.graph.mkdir()
    write_state(layout, GraphState(applied=500, counts={"entity": 9}))

    health = status(layout).health

    assert isinstance(health, Degraded)
    assert "holds 0 of 500 events" in health.reasons[0]
