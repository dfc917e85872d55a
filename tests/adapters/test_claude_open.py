"""Opening a transcript of whichever agent, and knowing one of Claude Code when it is seen."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from claude_lines import SESSION, answers, queue, user, write

from recall_adapters import open_transcript
from recall_adapters.claude_code import ClaudeTranscript, sniff
from recall_plugin.errors import TranscriptError

HI = {"type": "user", "message": {"role": "user", "content": "hi"}}
BIG = "x" * 200_000

# The first lines of what other agents write, cut down (2026-09).
STRANGERS: dict[str, list[Any]] = {
    "codex": [{"timestamp": "2026-11-28T08:00:02Z", "type": "session_meta", "payload": {"id": "1", "cwd": "/"}}],
    "codex-2025": [{"id": "1", "instructions": None}, {"type": "message", "role": "user", "content": []}],
    "gemini": [
        {"sessionId": SESSION, "projectHash": "5", "kind": "main"},
        {"id": "u0", "type": "user", "content": [{"text": "hi"}]},
    ],
    "grok": [{"type": "system", "content": "You are"}, {"type": "user", "content": [{"type": "text", "text": "hi"}]}],
    "cursor": [{"role": "user", "message": {"content": [{"type": "text", "text": "hi"}]}}],
    "copilot": [{"type": "session.start", "data": {"sessionId": SESSION}}, {"type": "user.message", "data": {}}],
    "qwen": [
        {"uuid": "1", "sessionId": "other", "type": "user", "message": {"role": "user", "parts": [{"text": "hi"}]}}
    ],
    "notes": [{"note": "hi"}, {"type": "user", "name": "Ada"}],
}


@pytest.mark.parametrize(
    "records",
    [
        [HI],
        [b"", b"null", b"[1]", HI, b'{"type":"assis'],
        [{"type": "mode", "mode": "normal"}, {"type": "permission-mode"}],
        [{"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}],
        [{"type": "summary", "summary": "s", "leafUuid": "l"}],
        [queue("enqueue", "hi")],
        [user(BIG)],
        [answers(BIG)],
        [{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": BIG}]}}],
        [{"parentUuid": None, "message": {"role": "assistant", "id": "m", "content": BIG}, "type": "assistant"}],
        [{"type": "mode"}, {"parentUuid": None, "type": "attachment", "attachment": {"rendered": BIG}}],
    ],
)
def test_a_transcript_of_claude_code_is_known_wherever_it_lies(tmp_path: Path, records: list[Any]) -> None:
    path = write(tmp_path / "a file", *records)

    assert sniff(path)
    assert isinstance(open_transcript(path), ClaudeTranscript)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"null\n{\n", b"\0" * 5000, b"\xff\xfe\xfd"])
@pytest.mark.parametrize(
    ("name", "known"),
    [
        (f"{SESSION}.jsonl", True),
        ("projects/-home-dev/odd.jsonl", True),
        ("odd.jsonl", False),
        (f"{SESSION}.txt", False),
        ("projects/notes.txt", False),
    ],
)
def test_a_file_without_a_record_is_known_by_its_name_or_its_place(
    tmp_path: Path, name: str, known: bool, content: bytes
) -> None:
    path = write(tmp_path / name)
    path.write_bytes(content)

    assert sniff(path) is known


@pytest.mark.parametrize("agent", STRANGERS)
def test_a_transcript_of_another_agent_is_not_taken_for_one(tmp_path: Path, agent: str) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", *STRANGERS[agent])

    assert not sniff(path)


def test_a_session_whose_records_are_all_of_a_version_to_come_is_known_by_its_id(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", {"type": "human_turn", "sessionId": SESSION})

    assert sniff(path)


def test_what_cannot_be_opened_is_not_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert [sniff(tmp_path), sniff(tmp_path / "gone"), sniff(tmp_path / "pipe"), sniff(Path("a\0b"))] == [False] * 4


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match=r"gone\.jsonl: there is no such file") as caught:
        open_transcript(tmp_path / "gone.jsonl")

    assert caught.value.hint


def test_a_folder_is_an_error_that_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="is a folder; name one of the transcripts in it"):
        open_transcript(tmp_path)


def test_a_pipe_is_an_error_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(TranscriptError, match="is not a regular file"):
        open_transcript(tmp_path / "pipe")


def test_a_file_that_may_not_be_read_is_an_error_that_says_how_to_change_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "s.jsonl", HI)

    def refuse(path: Path, *args: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)

    with pytest.raises(TranscriptError, match=r"may not be read; .*chmod u\+r"):
        open_transcript(path)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "\ud800"])
def test_a_name_that_no_file_can_have_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(TranscriptError):
        open_transcript(tmp_path / name)


def test_a_file_in_no_known_format_is_an_error_that_says_which_are_known(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n", "utf-8")

    with pytest.raises(TranscriptError, match="known formats: Claude Code"):
        open_transcript(path)


def test_the_options_of_reading_are_handed_on(tmp_path: Path) -> None:
    use = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "Bash"}]}}
    path = write(tmp_path / "s.jsonl", answers("x" * 500, id_="other"), use)

    turns = list(open_transcript(path, settled=False, tool_text_limit=10).turns())

    assert len(turns) == 1
    assert json.dumps(turns[0].text).count("x") == 10
