"""The command line, as processes of their own: a session becomes readable memory."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import SAMPLES, Recall

from recall_plugin.domain.layout import Layout
from recall_plugin.files import layers

PROJECT = SAMPLES / "claude-code" / "home" / ".claude" / "projects" / "-home-dev-tidepool"
SESSION = "7c1f6a52-0b3e-4d7a-9c55-2f1e8b6d4a01"
TRANSCRIPT = PROJECT / f"{SESSION}.jsonl"


@pytest.fixture
def root(recall: Recall, tmp_path: Path) -> Path:
    """A registered root with a memory."""
    folder = tmp_path / "nia"
    done = recall("init", folder)
    assert done.returncode == 0, done.stderr
    return folder


def payload(**changes: object) -> bytes:
    return json.dumps(
        {
            "session_id": SESSION,
            "transcript_path": str(TRANSCRIPT),
            "cwd": "/home/dev/tidepool",
            "hook_event_name": "SessionEnd",
            "reason": "other",
            **changes,
        }
    ).encode()


def line(text: str, uuid: str, when: str = "2026-03-06T10:00:00Z", kind: str = "user") -> str:
    content: object = text if kind == "user" else [{"type": "text", "text": text}]
    return (
        json.dumps({"type": kind, "message": {"role": kind, "content": content}, "uuid": uuid, "timestamp": when})
        + "\n"
    )


def write_session(folder: Path, name: str, *texts: str, when: str = "2026-03-06T10:00:00Z") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(line(text, f"{name}-{place}", when) for place, text in enumerate(texts)))
    return path


def test_init_makes_a_private_memory_that_explains_itself(recall: Recall, root: Path) -> None:
    memory = root / "memory"

    assert sorted(path.name for path in memory.iterdir() if path.name != ".lock") == [
        "ARCHIVE.md", "EPHEMERAL.md", "MEMORY.md", "conversations",
    ]  # fmt: skip
    assert memory.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in memory.iterdir() if path.is_file())
    assert "is yours and your agent's" in (memory / "MEMORY.md").read_text()
    assert recall("status").returncode == 0


def test_init_again_changes_nothing(recall: Recall, root: Path) -> None:
    (root / "memory" / "MEMORY.md").write_text("mine\n")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    again = recall("init", root)

    assert again.returncode == 0
    assert before == {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_second_root_is_registered_only_when_told_to(recall: Recall, root: Path, tmp_path: Path) -> None:
    kept = recall("init", tmp_path / "other")
    assert f"{root} stays the registered root" in kept.stdout
    assert json.loads(recall("status", "--json").stdout)["pulse_root"] == str(root)

    recall("init", tmp_path / "other", "--replace")
    assert json.loads(recall("status", "--json").stdout)["pulse_root"] == str(tmp_path / "other")


def test_two_pulses_never_see_each_others_sessions(recall: Recall, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    recall("init", other, "--no-register")
    recall("archive", TRANSCRIPT)

    assert "nothing found" in recall("search", "parser", "--pulse-root", other).stderr
    assert "nothing found" in recall("search", "parser", environment={"RECALL_PULSE_ROOT": str(other)}).stderr
    assert "parser" in recall("--pulse-root", root, "search", "parser").stdout
    assert "parser" in recall("search", "parser", "--entity-root", root).stdout


def test_a_transcript_is_archived_searched_and_told_to_the_next_session(recall: Recall, root: Path) -> None:
    archived = recall("archive", TRANSCRIPT)
    assert archived.returncode == 0
    assert "conversation-001.md" in archived.stdout

    found = json.loads(recall("search", "metres", "--json").stdout)["hits"]
    assert {"Metres, always.", "Keep metres as the unit everywhere."} <= {hit["line"] for hit in found}

    consumed = recall("consume").stdout
    assert "conversation 001" in consumed
    assert "Metres, always." in consumed


def test_the_preview_of_a_fork_holds_its_own_turns_and_the_inherited_ones_apart(recall: Recall) -> None:
    fork = PROJECT / "2b9d1f4e-6a70-4c1b-8e2d-90c7a51d3302.jsonl"

    shown = json.loads(recall("archive", fork, "--dry-run", "--json").stdout)

    assert [turn["text"] for turn in shown["turns"]] == [
        "New branch of thought: support CSV as well.",
        "I will add a CSV reader.",
    ]
    assert shown["inherited_from"] == SESSION
    assert sum(turn["role"] != "tool" for turn in shown["inherited_turns"]) == 3


def test_the_preview_of_every_sample_is_what_is_expected(recall: Recall) -> None:
    expected = json.loads((SAMPLES / "claude-code" / "expected.json").read_text())["samples"]
    for name, wanted in expected.items():
        shown = json.loads(recall("archive", SAMPLES / "claude-code" / name, "--dry-run", "--json").stdout)
        optional = {message["text"] for message in wanted.get("optional_messages", [])}

        assert [
            (turn["role"], turn["text"], turn["timestamp"])
            for turn in shown["turns"]
            if turn["role"] != "tool" and turn["text"] not in optional
        ] == [(message["role"], message["text"], message["timestamp"]) for message in wanted["messages"]]
        for key in ("session_id", "cwd", "first_message_at", "last_message_at", "tools", "files_touched"):
            if key in wanted:
                assert shown[key] == wanted[key], (name, key)
        assert shown["skipped_lines"] == 0


def test_a_malformed_transcript_keeps_what_can_be_read(recall: Recall, root: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(line("hi", "1") + "\nnull\n[1]\n" + '{"type":"assis')

    done = recall("archive", broken)

    assert done.returncode == 0
    assert "archived 1 message " in done.stdout
    assert "3 lines were skipped" in done.stderr


def test_a_hook_archives_the_session_of_its_payload_and_keeps_stdout_empty(recall: Recall, root: Path) -> None:
    saved = recall("checkpoint", stdin=payload(hook_event_name="PreCompact", trigger="manual"))
    ended = recall("archive-session", stdin=payload())

    assert (saved.returncode, saved.stdout) == (0, "")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "conversation-001.md" in saved.stderr
    assert "nothing new" in ended.stderr
    assert 'trigger: "manual"' in (root / "memory" / "conversations" / "conversation-001.md").read_text()


@pytest.mark.parametrize("command", ["archive-session", "checkpoint"])
@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b'{"transcript_path": 7}',
        b'{"session_id": "x", "transcript_path": "/nowhere/x.jsonl", "hook_event_name": "SessionEnd"}',
        b'{"session_id": "x", "hook_event_name": "SessionEnd"}',
        b"[" * 100_000,
        b'{"transcript_path": "/tmp/a\\u0000b"}',
        b'{"session_id": "\xff"}',
    ],
)
def test_a_hook_exits_0_whatever_its_payload_and_says_what_is_wrong(
    recall: Recall, root: Path, command: str, stdin: bytes
) -> None:
    done = recall(command, stdin=stdin)

    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.startswith(f"recall {command}: ")
    assert "Traceback" not in done.stderr
    assert len(done.stderr) < 2000


@pytest.mark.parametrize("command", ["archive-session", "checkpoint", "consume"])
def test_a_hook_without_a_memory_exits_0(recall: Recall, command: str) -> None:
    done = recall(command, stdin=payload())

    assert done.returncode == 0
    assert "no pulse root is known" in done.stderr


@pytest.mark.parametrize(
    "command", [["status"], ["health"], ["search", "x"], ["archive", TRANSCRIPT], ["config", "show"]]
)
def test_a_command_without_a_memory_exits_3_and_says_what_to_do(recall: Recall, command: list[str]) -> None:
    done = recall(*command)

    assert done.returncode == 3
    assert "recall init" in done.stderr


def test_a_strangers_folder_is_not_a_root_and_its_config_does_nothing(recall: Recall, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    (clone / "memory" / "conversations").mkdir(parents=True)
    proof = tmp_path / "proof"
    (clone / "memory" / ".recall-echo.toml").write_text(f"[extraction]\ncommand = 'touch {proof}'\n")
    recall.cwd = clone

    for command in ("status", "archive-session", "consume"):
        done = recall(command, stdin=payload())
        assert "is not a registered root" in done.stderr
        assert done.returncode == (3 if command == "status" else 0)
    assert not proof.exists()
    assert list((clone / "memory" / "conversations").iterdir()) == []


def test_a_config_that_others_can_write_is_refused_and_sessions_are_archived_all_the_same(
    recall: Recall, root: Path
) -> None:
    config = root / "memory" / ".recall-echo.toml"
    config.write_text("[redaction]\nenabled = false\n")
    config.chmod(0o666)

    done = recall("archive-session", stdin=payload())
    assert "mode 0666" in done.stderr
    assert (root / "memory" / "conversations" / "conversation-001.md").exists()

    health = recall("health", "--json")
    assert health.returncode == 1
    assert json.loads(health.stdout)["state"] == "down"
    assert "mode 0666" in json.loads(health.stdout)["reason"]
    assert "mode 0666" in recall("consume").stdout
    assert recall("config", "show").returncode == 1


def test_config_set_and_show(recall: Recall, root: Path) -> None:
    assert recall("config", "set", "ephemeral.max_entries", "2").returncode == 0
    shown = json.loads(recall("config", "show", "--json").stdout)["settings"]
    assert next(key for key in shown if key["name"] == "ephemeral.max_entries")["value"] == 2
    assert (root / "memory" / ".recall-echo.toml").stat().st_mode & 0o777 == 0o600

    refused = recall("config", "set", "redaction.enabled", "false")  # the agent's doing, as far as anybody can tell
    assert refused.returncode == 1
    assert "takes a person" in refused.stderr
    (root / "memory" / ".recall-echo.toml").write_text("[redaction]\nenabled = false\n")
    assert "secrets are not masked" in recall("status").stdout

    wrong = recall("config", "set", "ephemeral.max_entries", "51")
    assert wrong.returncode == 2
    assert "does not take 51" in wrong.stderr


def test_eight_processes_at_once_give_eight_files_and_eight_rows(recall: Recall, root: Path, tmp_path: Path) -> None:
    files = [write_session(tmp_path, f"session-{number}", f"hello {number}") for number in range(8)]

    running = [
        subprocess.Popen(
            [sys.executable, "-m", "recall_plugin.cli", "archive", str(file)],
            env=recall.environment, cwd=recall.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for file in files
    ]  # fmt: skip
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors

    names = sorted(path.name for path in (root / "memory" / "conversations").iterdir())
    assert names == [f"conversation-{number:03d}.md" for number in range(1, 9)]
    rows = [row for row in (root / "memory" / "ARCHIVE.md").read_text().splitlines() if row.startswith("| 0")]
    assert len(rows) == 8
    assert len({row.split(" | ")[3] for row in rows}) == 8
    assert recall("health").stdout == "healthy\n"


def test_eight_processes_that_archive_one_session_keep_each_turn_once(
    recall: Recall, root: Path, tmp_path: Path
) -> None:
    file = write_session(tmp_path, "session", *(f"text {number}" for number in range(50)))

    running = [
        subprocess.Popen(
            [sys.executable, "-m", "recall_plugin.cli", "archive", str(file)],
            env=recall.environment, cwd=recall.cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for _ in range(8)
    ]  # fmt: skip
    assert [process.wait(timeout=60) for process in running] == [0] * 8

    assert [path.name for path in (root / "memory" / "conversations").iterdir()] == ["conversation-001.md"]


def test_a_killed_archiver_leaves_a_whole_archive_or_none(recall: Recall, root: Path, tmp_path: Path) -> None:
    file = write_session(tmp_path, "session", *(f"text {number} " + "x" * 2000 for number in range(2000)))
    conversations = root / "memory" / "conversations"

    for delay in (0.05, 0.15, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6):
        process = subprocess.Popen(
            [sys.executable, "-m", "recall_plugin.cli", "archive", str(file)],
            env=recall.environment, cwd=recall.cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(delay)
        process.kill()
        process.wait()

    assert recall("archive", file).returncode == 0
    recall("consume")
    assert sorted(path.name for path in conversations.iterdir() if path.name.startswith("conv")) == [
        "conversation-001.md"
    ]
    assert (conversations / "conversation-001.md").read_text().count('{"turn":') == 2000
    assert (root / "memory" / "ARCHIVE.md").read_text().count("| session |") == 1
    assert recall("health").stdout == "healthy\n"


def test_a_damaged_window_is_reported_and_rebuilt_at_the_next_start(recall: Recall, root: Path) -> None:
    recall("archive", TRANSCRIPT)
    window = root / "memory" / "EPHEMERAL.md"
    whole = window.read_bytes()
    window.write_bytes(whole[: len(whole) // 2])

    assert recall("health").returncode == 1
    consumed = recall("consume").stdout

    assert "EPHEMERAL.md is cut or was altered; it was made again" in consumed
    assert window.read_bytes() == whole
    assert recall("health").returncode == 0


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway"])
def test_stored_instants_are_the_same_utc_in_every_time_zone(
    recall: Recall, root: Path, tmp_path: Path, zone: str
) -> None:
    file = write_session(tmp_path, "session", "hello", when="2026-03-06T23:30:00-05:00")

    recall("archive", file, environment={"TZ": zone})

    text = (root / "memory" / "conversations" / "conversation-001.md").read_text()
    assert 'date: "2026-03-07T04:30:00Z"' in text
    assert '"time":"2026-03-07T04:30:00.000Z"' in text
    assert "| 2026-03-07T04:30:00Z |" in (root / "memory" / "ARCHIVE.md").read_text()
    assert "2026-03-07 04:30 UTC" in recall("consume", environment={"TZ": zone}).stdout


def test_a_query_in_a_script_without_spaces_is_found(recall: Recall, root: Path, tmp_path: Path) -> None:
    recall("archive", write_session(tmp_path, "session", "部署窗口是周二"))

    assert "部署窗口是周二" in recall("search", "窗口").stdout
    assert "部署窗口是周二" in recall("search", "--ranked", "窗口").stdout


def test_question_words_do_not_hide_the_answer(recall: Recall, root: Path, tmp_path: Path) -> None:
    question = "Which queue did we choose last week, exactly?"
    distractors = [
        f"Which week did we last choose to meet, and what exactly did you say in week {number}?" for number in range(60)
    ]
    recall("archive", write_session(tmp_path, "noise", *distractors))
    recall("archive", write_session(tmp_path, "session", "We chose Kestrel as the queue."))

    hits = json.loads(recall("search", "--ranked", question, "--json").stdout)["hits"]

    assert hits[0]["text"] == "We chose Kestrel as the queue."
    assert hits[0]["archive"] == 2


def test_composed_and_decomposed_accents_are_one(recall: Recall, root: Path, tmp_path: Path) -> None:
    recall("archive", write_session(tmp_path, "session", "Ask Zoe\u0308 Brandt."))

    assert "Brandt" in recall("search", "Zo\u00eb").stdout


def test_a_hostile_session_id_makes_one_row_and_no_file_elsewhere(recall: Recall, root: Path, tmp_path: Path) -> None:
    conversation = tmp_path / "foreign.md"
    session_id = "x | y\n| 999 | 2026 |../../outside`"
    conversation.write_text(
        f'---\nlog: 999\nsession_id: {json.dumps(session_id)}\ntopics: ["a|b`c"]\n---\n### User\n\nhello\n'
    )

    assert recall("archive", conversation).returncode == 0
    assert recall("archive", write_session(tmp_path, "next", "hi")).stdout.count("conversation-002.md") == 1

    rows = [row for row in (root / "memory" / "ARCHIVE.md").read_text().splitlines() if row.startswith("| 0")]
    assert len(rows) == 2
    assert sum("x \\| y\\x0a\\| 999 \\| 2026 \\|../../outside\\`" in row for row in rows) == 1
    assert not (tmp_path / "outside").exists()


def test_an_archive_of_ours_moves_to_another_memory(recall: Recall, root: Path, tmp_path: Path) -> None:
    recall("archive", TRANSCRIPT)
    recall("init", tmp_path / "other", "--no-register")

    moved = recall(
        "archive", root / "memory" / "conversations" / "conversation-001.md", "--pulse-root", tmp_path / "other"
    )

    assert moved.returncode == 0

    def turns(folder: Path) -> list[str]:
        text = (folder / "memory" / "conversations" / "conversation-001.md").read_text()
        mark = text.split('mark: "')[1][:32]
        return text.replace(mark, "").split('<!-- recall: {"turn"')[1:]

    assert turns(root) == turns(tmp_path / "other")


def test_nothing_new_is_said_as_such(recall: Recall, root: Path) -> None:
    recall("archive", TRANSCRIPT)

    again = json.loads(recall("archive", TRANSCRIPT, "--json").stdout)

    assert again["archived"] is False
    assert again["already_archived"] > 20


def test_consume_keeps_to_its_length_and_marks_what_is_left_out(recall: Recall, root: Path, tmp_path: Path) -> None:
    (root / "memory" / "MEMORY.md").write_text("".join(f"fact number {number}\n" for number in range(2000)))
    for number in range(5):
        recall("archive", write_session(tmp_path, f"s{number}", f"Please paint the shed number {number} green. " * 8))

    text = recall("consume").stdout

    assert len(text) < 10_000
    assert "fact number 0\n" in text
    assert "[… the rest stands in" in text
    assert "conversation 005" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"], ["archive"], ["search", ""], ["search", "x", "--limit", "0"], ["config"], ["--nonsense"],
        ["init", "a", "--pulse-root", "b"],
    ],
)  # fmt: skip
def test_wrong_usage_exits_2(recall: Recall, arguments: list[str]) -> None:
    done = recall(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command",
    ["init", "status", "health", "archive", "archive-session", "checkpoint", "consume", "search", "config"],
)
def test_every_command_explains_itself(recall: Recall, command: str) -> None:
    done = recall(command, "--help")

    assert done.returncode == 0
    assert len(done.stdout) > 400
    assert f"  {command} " in recall("--help").stdout


def test_a_closed_pipe_is_no_error(recall: Recall, root: Path) -> None:
    recall("archive", TRANSCRIPT)
    command = f"{sys.executable} -m recall_plugin.cli search e --limit 1000 | head -n 1; exit ${{PIPESTATUS[0]}}"

    done = subprocess.run(["bash", "-c", command], env=recall.environment, capture_output=True, check=False)

    assert done.returncode == 0
    assert done.stderr == b""


def test_a_hostile_locale_changes_nothing(recall: Recall, root: Path, tmp_path: Path) -> None:
    recall("archive", write_session(tmp_path, "session", "text with ⟦→● in it"))

    done = recall("consume", environment={"LC_ALL": "C", "PYTHONIOENCODING": "cp1252", "PATH": os.environ["PATH"]})

    assert done.returncode == 0
    assert "⟦→●" in done.stdout


@pytest.mark.parametrize("command", ["archive-session", "checkpoint"])
def test_a_hook_does_not_wait_for_a_stdin_that_stays_open(recall: Recall, root: Path, command: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "recall_plugin.cli", command],
        env=recall.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(payload())
    process.stdin.flush()

    assert process.wait(timeout=30) == 0

    assert (root / "memory" / "conversations" / "conversation-001.md").exists()
    process.communicate()


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_hook_with_closed_streams_exits_0(recall: Recall, root: Path, redirection: str) -> None:
    for command in ("archive-session", "consume"):
        line_ = f"{sys.executable} -m recall_plugin.cli {command} {redirection}"

        done = subprocess.run(
            ["bash", "-c", line_], env=recall.environment, input=payload(), capture_output=True, check=False
        )

        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


def test_a_secret_that_a_clip_would_cut_in_two_is_masked_whole(recall: Recall, root: Path, tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5fG7h" * 3 + "iJ9kL1"
    for place in range(455, 505, 6):
        command = "x" * place + f" {token} tail"
        record = {"type": "assistant", "uuid": f"u{place}", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": f"t{place}", "name": "Bash", "input": {"command": command}}]}}  # fmt: skip
        file = tmp_path / f"s{place}.jsonl"
        file.write_text(line("go", f"g{place}") + json.dumps(record) + "\n")
        assert recall("archive", file).returncode == 0

    written = "".join(path.read_text() for path in (root / "memory").rglob("*.md"))
    assert "ghp_" not in written
    assert "[redacted: github-token]" in written


def test_a_hook_does_not_wait_for_a_held_lock_and_loses_nothing(recall: Recall, root: Path) -> None:
    with layers.locked(Layout(root)):
        started = time.monotonic()
        done = recall("archive-session", stdin=payload())
        waited = time.monotonic() - started

    assert done.returncode == 0
    assert waited < 5
    assert "its index follows at the next start" in done.stderr
    assert recall("health").returncode == 1
    recall("consume")
    assert recall("health").stdout == "healthy\n"
    assert "| 001 |" in (root / "memory" / "ARCHIVE.md").read_text()


@pytest.mark.parametrize("arguments", [["checkpoint", "--bogus"], ["consume", "extra"], ["archive-session", "--bogus"]])
def test_a_hook_called_wrongly_says_so_and_exits_0(recall: Recall, root: Path, arguments: list[str]) -> None:
    done = recall(*arguments)

    assert done.returncode == 0
    assert "unrecognized arguments" in done.stderr


def test_a_held_memory_is_exit_status_4(recall: Recall, root: Path) -> None:
    with layers.locked(Layout(root)):
        done = recall("config", "set", "ephemeral.max_entries", "3")

    assert done.returncode == 4
    assert f"is held by pid {os.getpid()}" in done.stderr


def test_a_cut_archive_is_not_healthy(recall: Recall, root: Path) -> None:
    recall("archive", TRANSCRIPT)
    archive = root / "memory" / "conversations" / "conversation-001.md"
    archive.write_bytes(archive.read_bytes()[:-2000])

    done = recall("health")

    assert done.returncode == 1
    assert "conversation-001.md is cut off" in done.stdout


def test_a_conversation_of_another_tool_keeps_its_date(recall: Recall, root: Path, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("---\ndate: 2026-03-06T10:30:00Z\nsession_id: s\n---\n### User\n\nhello\n")

    recall("archive", tmp_path / "old.md")

    assert "| 2026-03-06T10:30:00Z |" in (root / "memory" / "ARCHIVE.md").read_text()


def test_a_hook_gives_up_on_a_stdin_that_trickles(recall: Recall, root: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "recall_plugin.cli", "archive-session"],
        env=recall.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    started = time.monotonic()
    while process.poll() is None and time.monotonic() - started < 20:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b" ")
            process.stdin.flush()
        time.sleep(0.3)

    assert process.poll() == 0
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


@pytest.mark.parametrize("content", [b"", b"\xff\x00\x01 random"])
def test_a_damaged_conversation_is_not_healthy(recall: Recall, root: Path, content: bytes) -> None:
    recall("archive", TRANSCRIPT)
    (root / "memory" / "conversations" / "conversation-001.md").write_bytes(content)

    assert "conversation-001.md is cut off or damaged" in recall("health").stdout


def test_with_stderr_closed_a_hook_says_nothing_on_stdout(recall: Recall, root: Path) -> None:
    command = f"{sys.executable} -m recall_plugin.cli archive-session 2>&-"

    done = subprocess.run(
        ["bash", "-c", command], env=recall.environment, input=payload(), capture_output=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, b"")
