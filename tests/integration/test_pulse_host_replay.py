"""`pulse replay`, as a real process with really installed plugins; and the window of messages that a host holds."""

from __future__ import annotations

import json
import os
import pty
import subprocess

import pytest
from contract.installed import environment, install, interrupt, python
from hypothesis import given
from hypothesis import strategies as st

from pulse_hookspecs import Message, TextBlock, ToolResultBlock, ToolUseBlock
from pulse_host.replay import Window, tokens_of

# Writes every call into `calls.jsonl` under the pulse root. `fail` in its section says which hook raises.
MEMORY = """
    import json, time
    from pulse_hookspecs import *

    class Plugin:
        @hookimpl
        def plugin_meta(self):
            return PluginMeta(name="fake", version="1.0", role=Role.MEMORY)

        @hookimpl
        def start(self, context):
            self.log = context.pulse_root / "calls.jsonl"
            self.config = context.config
            self.known = set()
            self.call("start")

        @hookimpl
        def stop(self):
            self.call("stop")

        @hookimpl
        def session_context(self, session):
            self.call("session_context", session=session.session_id)
            return "remember the demo"

        @hookimpl
        def create_checkpoint(self, session, messages, trigger):
            facts = self.keep(session, messages)
            self.call("create_checkpoint", trigger=trigger, until=str(session.ended_at), **facts)
            return CheckpointReceipt(session_id=session.session_id, trigger=trigger, saved=True, **self.counts(facts))

        @hookimpl
        def archive_session(self, session, messages):
            facts = self.keep(session, messages)
            self.call("archive_session", until=str(session.ended_at), **facts)
            if self.config.get("refuse"):
                reasons = ("the disk is full; free some space",)
                return ArchiveReceipt(session_id=session.session_id, archived=False, reasons=reasons)
            return ArchiveReceipt(
                session_id=session.session_id, archived=True, archive="conversation-001.md", **self.counts(facts)
            )

        @hookimpl
        def read_transcript(self, path):
            with path.open() as lines:
                first = lines.readline()
            if not first.startswith('{"session"'):
                return None
            head = json.loads(first)
            session = SessionMeta(session_id=head["session"], agent="tester", ended_at=head.get("ended_at"))
            return TranscriptReading(session, read(path))

        @hookimpl
        def health(self):
            return Healthy()

        def keep(self, session, messages):
            ids = [message.id for message in messages]
            new = [name for name in ids if name not in self.known]
            self.known.update(ids)
            return {"ids": ids, "new": len(new)}

        def counts(self, facts):
            return {"new_messages": facts["new"], "already_known": len(facts["ids"]) - facts["new"]}

        def call(self, hook, **facts):
            with self.log.open("a") as log:
                log.write(json.dumps({"hook": hook, **facts}) + "\\n")
            if self.config.get("fail") == hook:
                raise OSError("disk full")

    def read(path):
        with path.open() as lines:
            next(lines)
            for line in lines:
                said = json.loads(line)
                if said == "wait":
                    print("waiting", flush=True)
                    time.sleep(30)
                yield Message.model_validate(said)
"""


def line(number, size=400, **more):
    """A message of `size` characters, a hundred tokens unless told otherwise."""
    time = f"2026-03-07T04:00:{number % 60:02d}Z"
    blocks = [{"type": "text", "text": "x" * size}]
    return {"id": f"m-{number}", "role": "user", "time": time, "blocks": blocks, **more}


class Pulse:
    """A pulse whose memory is the fake one."""

    def __init__(self, folder):
        self.folder = folder
        self.site = install(folder / "site", {"fake": "fake_memory:Plugin"}, {"fake_memory": MEMORY})
        self.configure("")

    def configure(self, section):
        text = f'name = "ada"\npulse_root = "."\n[plugins.fake]\n{section}\n'
        (self.folder / "pulse.toml").write_text(text)

    def transcript(self, *lines, head='{"session": "s-1"}'):
        path = self.folder / "session.jsonl"
        path.write_text("\n".join([head, *(json.dumps(each) for each in lines)]) + "\n")
        return path

    def replay(self, *arguments):
        return subprocess.run(
            [python(), "-m", "pulse_host", "replay", *map(str, arguments)],
            cwd=self.folder,
            env=environment(self.site),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def calls(self):
        log = self.folder / "calls.jsonl"
        return [json.loads(each) for each in log.read_text().splitlines()] if log.exists() else []

    def hooks(self):
        return [call["hook"] for call in self.calls]


@pytest.fixture
def pulse(tmp_path):
    return Pulse(tmp_path)


def test_a_session_goes_through_the_hooks_in_the_order_of_a_real_one(pulse):
    path = pulse.transcript(*map(line, range(10)))

    done = pulse.replay(path, "--budget-tokens", 400, "--keep-tokens", 200, "--json")

    assert done.returncode == 0, done.stderr
    assert pulse.hooks() == [
        "start",
        "session_context",
        "create_checkpoint",
        "create_checkpoint",
        "create_checkpoint",
        "archive_session",
        "stop",
    ]
    checkpoints = [call for call in pulse.calls if call["hook"] == "create_checkpoint"]
    assert [(call["trigger"], call["until"]) for call in checkpoints] == [("auto", "None")] * 3
    assert [call["ids"] for call in checkpoints] == [
        ["m-0", "m-1", "m-2", "m-3"],
        ["m-2", "m-3", "m-4", "m-5"],
        ["m-4", "m-5", "m-6", "m-7"],
    ]
    archive = pulse.calls[-2]
    assert archive["ids"] == ["m-6", "m-7", "m-8", "m-9"]
    assert archive["until"] == "2026-03-07 04:00:09+00:00"
    said = json.loads(done.stdout)
    assert (said["messages"], said["tokens"], said["context_characters"]) == (10, 1000, 17)
    assert (said["archive"]["new_messages"], said["archive"]["already_known"]) == (2, 2)
    assert [receipt["new_messages"] for receipt in said["checkpoints"]] == [4, 2, 2]
    assert said["health"] == {"fake": {"state": "healthy", "layers": []}}


def test_the_summary_is_for_people_and_the_progress_is_beside_it(pulse):
    path = pulse.transcript(*map(line, range(600)))

    done = pulse.replay(path, "--budget-tokens", 50000)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "session     s-1 of tester",
        "read        600 messages, about 60000 tokens",
        "context     17 characters put in front of the session",
        "checkpoint  500 new messages, 0 known",
        "archive     100 new messages, 125 known; conversation-001.md",
        "health      fake is healthy",
    ]
    assert "500 messages read, about 50000 tokens" in done.stderr
    assert "checkpoint 1, then compaction, before message 501" in done.stderr
    assert "archiving 225 messages" in done.stderr


def test_at_a_terminal_the_progress_is_painted_and_the_summary_is_not_touched(pulse):
    path = pulse.transcript(*map(line, range(9)))
    ours, theirs = pty.openpty()

    done = subprocess.run(
        [python(), "-m", "pulse_host", "replay", str(path), "--budget-tokens", "400"],
        cwd=pulse.folder,
        env=environment(pulse.site, TERM="xterm-256color"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(theirs)
    painted = os.read(ours, 65536).decode()
    os.close(ours)

    assert done.returncode == 0
    assert "checkpoint 1, then compaction, before message 5" in painted
    assert "\x1b[" in painted
    assert done.stdout.startswith("session     s-1 of tester\nread        9 messages, about 900 tokens\n")


def test_a_session_can_be_archived_under_another_id(pulse):
    done = pulse.replay(pulse.transcript(line(1)), "--session-id", "other", "--json")

    assert json.loads(done.stdout)["session_id"] == "other"
    assert pulse.calls[1] == {"hook": "session_context", "session": "other"}


def test_a_session_has_not_ended_before_its_archive_whatever_the_transcript_knows(pulse):
    path = pulse.transcript(*map(line, range(4)), head='{"session": "s-1", "ended_at": "2026-03-08T00:00:00Z"}')

    pulse.replay(path, "--budget-tokens", 200)

    assert [call["until"] for call in pulse.calls if "until" in call] == ["None", "2026-03-08 00:00:00+00:00"]


def test_messages_without_ids_are_handed_over_whole_every_time(pulse):
    path = pulse.transcript(*(line(number, id="") for number in range(6)))

    pulse.replay(path, "--budget-tokens", 200, "--keep-tokens", 0)

    handed = [len(call["ids"]) for call in pulse.calls if "ids" in call]
    assert handed == [2, 4, 6]


@pytest.mark.parametrize(
    ("section", "stdout"),
    [
        ('fail = "archive_session"', "archive     FAILED: archive_session raised OSError: disk full"),
        ("refuse = true", "archive     FAILED: the disk is full; free some space"),
    ],
)
def test_an_archive_that_fails_is_a_failure(pulse, section, stdout):
    pulse.configure(section)

    done = pulse.replay(pulse.transcript(line(1)))

    assert done.returncode == 1
    assert stdout in done.stdout
    assert pulse.hooks()[-1] == "stop"


def test_a_checkpoint_that_fails_loses_nothing_that_the_archive_can_keep(pulse):
    pulse.configure('fail = "create_checkpoint"')

    done = pulse.replay(pulse.transcript(*map(line, range(6))), "--budget-tokens", 200, "--keep-tokens", 0)

    assert done.returncode == 1
    assert "FAILED: create_checkpoint raised OSError: disk full" in done.stdout
    assert pulse.calls[-2]["ids"] == [f"m-{number}" for number in range(6)]


def test_a_memory_that_has_nothing_to_say_at_the_start_is_no_failure_of_the_session(pulse):
    pulse.configure('fail = "session_context"')

    done = pulse.replay(pulse.transcript(line(1)))

    assert "context     none: session_context raised OSError: disk full" in done.stdout
    assert "archive     1 new messages" in done.stdout
    assert done.returncode == 1  # the memory is down until the hook works again


def test_a_transcript_that_breaks_off_is_archived_as_far_as_it_goes(pulse):
    path = pulse.transcript(line(0), line(1))
    path.write_text(path.read_text() + "{torn")

    done = pulse.replay(path)

    assert done.returncode == 1
    assert pulse.calls[-2]["ids"] == ["m-0", "m-1"]
    assert "not to its end: read_transcript raised JSONDecodeError" in done.stdout


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "there is no such file; name the file"),
        ("", "is empty; there is nothing to replay"),
        ("something else\n", "no plugin knows this kind of file (asked: fake); is it a transcript?"),
        ('{"session" oh\n', "read_transcript raised JSONDecodeError"),
        ('{"session": "s-1"}\n', "the transcript holds no messages (read by fake); nothing was archived"),
    ],
)
def test_a_transcript_that_is_none_is_named_with_what_is_wrong(pulse, content, complaint):
    path = pulse.folder / "session.jsonl"
    if content is not None:
        path.write_text(content)

    done = pulse.replay(path)

    assert done.returncode == 1
    assert complaint in done.stderr
    assert "archive_session" not in pulse.hooks()


def test_a_folder_is_no_transcript(pulse):
    done = pulse.replay(pulse.folder)

    assert done.returncode == 1
    assert "is not a file" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--budget-tokens", "0"], "--budget-tokens 0: must be at least 1"),
        (["--budget-tokens", "10", "--keep-tokens", "10"], "--keep-tokens 10: must be at least 0, and less than"),
        (["--keep-tokens", "-1"], "--keep-tokens -1: must be at least 0"),
        (["--session-id", " "], "--session-id: must not be empty"),
        (["--budget-tokens", "many"], "invalid int value: 'many'"),
    ],
)
def test_options_out_of_range_are_wrong_usage(pulse, arguments, complaint):
    done = pulse.replay(pulse.transcript(line(1)), *arguments)

    assert done.returncode == 2
    assert complaint in done.stderr


def test_without_a_memory_that_runs_nothing_is_read(pulse):
    pulse.configure('fail = "start"')

    done = pulse.replay(pulse.transcript(line(1)))

    assert done.returncode == 1
    assert "nobody would keep the session: fake: start raised OSError: disk full; see `pulse status`" in done.stderr


def test_an_interrupt_stops_the_plugins_and_archives_nothing(pulse):
    path = pulse.transcript(line(0), "wait")
    with subprocess.Popen(
        [python(), "-m", "pulse_host", "replay", str(path)],
        cwd=pulse.folder,
        env=environment(pulse.site),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting\n"
        interrupt(process)
        stderr = process.stderr.read()

    assert process.returncode == 130
    assert "interrupted" in stderr
    assert pulse.hooks() == ["start", "session_context", "stop"]


# --- what a host holds ------------------------------------------------------------------------------------------------


def said(size, name="m"):
    return Message(id=name, role="user", blocks=(TextBlock(text="x" * size),))


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (Message(role="user"), 1),
        (said(1), 1),
        (said(4), 1),
        (said(5), 2),
        (Message(role="user", blocks=(ToolResultBlock(text="x" * 8),)), 2),
        (Message(role="assistant", blocks=(ToolUseBlock(name="read", input={"a": "b"}),)), 4),
    ],
)
def test_a_token_is_four_characters_rounded_up(message, tokens):
    assert tokens_of(message) == tokens


@given(
    sizes=st.lists(st.integers(0, 60), max_size=40),
    budget=st.integers(2, 12),
    share=st.floats(0, 0.99),
    named=st.booleans(),
    kept=st.booleans(),
)
def test_the_context_never_exceeds_its_budget_and_nothing_is_forgotten_that_is_not_kept(
    sizes, budget, share, named, kept
):
    window = Window(budget, int(budget * share))
    everything, saved = [], set()
    for number, size in enumerate(sizes):
        message = said(size, f"m-{number}" if named else "")
        everything.append(message)
        if not window.has_room_for(message):
            if kept:
                saved.update(held.id for held in window.held)
            window.compact(message, kept=kept)
        window.add(message)

        assert window.tokens <= budget or window.tokens == tokens_of(message)
        if named:
            assert [m for m in everything if m.id not in saved and m not in window.held] == []
        else:
            assert window.held == everything


def test_a_message_without_an_id_gets_its_place_when_older_ones_are_gone():
    window = Window(budget=2, keep=0)
    for message in (said(4, "a"), said(4, "b")):
        window.add(message)
    late = said(4, "")

    window.compact(late, kept=True)
    window.add(late)

    assert [message.id for message in window.held] == ["place-3"]
