"""What turns the records of a Claude Code transcript make, and what the report says about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude_lines import SESSION, agent, answers, asks, read, said, stamp, uid, user, write

from recall_adapters.claude_code import ClaudeTranscript
from recall_plugin.domain.conversation import Role, ToolActivity
from recall_plugin.domain.instants import parse_instant
from recall_plugin.errors import TranscriptError

OTHER = "0b3e4d7a-0000-4000-8000-000000000001"


def only_tool(tmp_path: Path, name: object, asked: object) -> ToolActivity:
    turns, _ = read(tmp_path, asks(name, asked), answers("ok"))
    (turn,) = turns
    assert turn.tool is not None
    return turn.tool


class TestTools:
    """The uses of tools."""

    def test_a_use_is_a_turn_when_its_answer_comes(self, tmp_path: Path) -> None:
        turns, _ = read(
            tmp_path,
            asks("Read", {"file_path": "/a.py"}, id_="toolu_1", minute=1),
            asks("Bash", {"command": "ls"}, id_="toolu_2", minute=2),
            answers("a.py", id_="toolu_2", minute=3),
            answers("import os", id_="toolu_1", minute=4),
        )

        assert [(turn.id, turn.text, turn.time) for turn in turns] == [
            ("toolu_2", "a.py", parse_instant(stamp(3))),
            ("toolu_1", "import os", parse_instant(stamp(4))),
        ]
        assert all(turn.role is Role.TOOL for turn in turns)

    def test_one_that_was_never_answered_is_a_turn_at_the_end_of_a_settled_session(self, tmp_path: Path) -> None:
        records = [asks("Bash", {}, id_="1", minute=1), asks("Grep", {}, id_="2"), user("Stop.")]

        settled, _ = read(tmp_path, *records)
        live, _ = read(tmp_path, *records, settled=False)

        assert [(turn.id, turn.text) for turn in settled[1:]] == [("1~", ""), ("2~", "")]
        assert settled[1].time == parse_instant(stamp(1))
        assert said(live) == ["Stop."]
        assert len(live) == 1

    def test_an_answer_to_nothing_known_is_the_answer_of_an_unknown_tool(self, tmp_path: Path) -> None:
        turns, _ = read(tmp_path, answers("ok", id_="toolu_lost"))

        assert [(turn.id, turn.tool) for turn in turns] == [("toolu_lost", ToolActivity("unknown"))]

    def test_a_second_answer_under_the_same_id_is_not_kept(self, tmp_path: Path) -> None:
        turns, _ = read(
            tmp_path, asks("Bash", {}), answers("first"), answers("second", uuid=uid("again")), asks("Bash", {})
        )

        assert [turn.text for turn in turns] == ["first"]

    @pytest.mark.parametrize(
        ("name", "asked", "activity"),
        [
            ("Read", {"file_path": "/a.py", "limit": 9}, ToolActivity("Read", paths=("/a.py",))),
            ("Edit", {"file_path": "/a.py", "old_string": "a"}, ToolActivity("Edit", paths=("/a.py",), writes=True)),
            ("MultiEdit", {"file_path": "/a.py"}, ToolActivity("MultiEdit", paths=("/a.py",), writes=True)),
            ("Write", {"file_path": "/a.py", "content": "x"}, ToolActivity("Write", paths=("/a.py",), writes=True)),
            ("NotebookEdit", {"notebook_path": "/n"}, ToolActivity("NotebookEdit", paths=("/n",), writes=True)),
            ("Bash", {"command": "make\nmake test", "description": "x"}, ToolActivity("Bash", "make\nmake test")),
            ("Grep", {"pattern": "rows", "path": "src"}, ToolActivity("Grep", "rows", ("src",))),
            ("WebFetch", {"url": "https://e.invalid", "prompt": "x"}, ToolActivity("WebFetch", "https://e.invalid")),
            ("WebSearch", {"query": "tide\n tables"}, ToolActivity("WebSearch", "tide tables")),
            ("Agent", {"description": "Find it", "prompt": "Long."}, ToolActivity("Agent", "Find it")),
            (
                "mcp__t__s",
                {"code": "DUB", "n": 3, "deep": {}, "on": True},
                ToolActivity("mcp__t__s", "code=DUB, n=3, on=true"),
            ),
            ("Glob", None, ToolActivity("Glob")),
            ("Glob", [1], ToolActivity("Glob")),
            (None, {"command": 7}, ToolActivity("unknown", "command=7")),
            ({"a": 1}, {"path": ["/a"], "file_path": ""}, ToolActivity("unknown", "file_path=")),
            ("\x1b[1mBash", {"command": "a\x00b"}, ToolActivity("Bash", "ab")),
        ],
    )
    def test_what_was_asked_is_the_essence_of_the_call(
        self, tmp_path: Path, name: object, asked: object, activity: ToolActivity
    ) -> None:
        assert only_tool(tmp_path, name, asked) == activity

    def test_what_was_asked_is_short(self, tmp_path: Path) -> None:
        activity = only_tool(tmp_path, "Bash", {"command": "x" * 100_000, "path": "/" + "y" * 100_000})

        assert activity.input == "x" * 8192 + "…"
        assert activity.paths == ()

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("  indented\n", "  indented"),
            ([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}], "One.\nTwo."),
            ([{"type": "image", "source": {"data": "iVBO"}}], "[image]"),
            ([{"type": "text", "text": "See:"}, {"type": "image"}, {"type": "document"}], "See:\n[image]\n[document]"),
            ([{"type": "tool_reference", "tool_name": "mcp__t__s"}], "mcp__t__s"),
            (["bare", {"type": "future"}, None, 7, {"type": "text", "text": None}], "bare\n"),
            ("", ""),
            (None, ""),
            (7, ""),
            ("\x1b[31mred\x1b[0m\r\n\x07", "red"),
        ],
    )
    def test_the_answer_is_its_text(self, tmp_path: Path, content: object, text: str) -> None:
        turns, _ = read(tmp_path, answers(content))

        assert [turn.text for turn in turns] == [text.strip("\n")]

    @pytest.mark.parametrize("limit", [0, 10, 4000])
    def test_a_long_answer_keeps_its_beginning_and_its_end(self, tmp_path: Path, limit: int) -> None:
        turns, _ = read(tmp_path, answers("<" * 50_000 + ">" * 50_000), tool_text_limit=limit)

        text = turns[0].text
        assert f"[… {100_000 - limit} characters left out …]" in text
        assert (text.count("<"), text.count(">")) == (limit - limit // 3, limit // 3)

    def test_a_failure_is_told(self, tmp_path: Path) -> None:
        turns, _ = read(tmp_path, asks("Bash", {"command": "false"}), answers("Exit code 1", error=True))

        assert [turn.tool for turn in turns] == [ToolActivity("Bash", "false", error=True)]

    def test_a_limit_below_nothing_makes_no_sense(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="at least 0"):
            ClaudeTranscript(tmp_path, tool_text_limit=-1)


class TestRepetition:
    """What stands in a file more than once."""

    def test_records_that_a_compaction_wrote_again_are_read_once_at_their_first_place(self, tmp_path: Path) -> None:
        kept = user("Keep metres.", name="kept", minute=1)
        boundary = {"type": "system", "subtype": "compact_boundary", "uuid": uid("b"), "timestamp": stamp(5)}
        summary = user("Summary", name="s", isCompactSummary=True)

        turns, _ = read(tmp_path, kept, agent("Understood."), boundary, summary, kept, user("Ship it.", name="2"))

        assert [turn.text for turn in turns] == ["Keep metres.", "Understood.", "Ship it."]

    def test_branches_that_a_rewind_left_are_kept(self, tmp_path: Path) -> None:
        turns, _ = read(
            tmp_path, user("Root.", name="r"), *(user(f"Branch {n}.", name=f"{n}", parentUuid=uid("r")) for n in (1, 2))
        )

        assert said(turns) == ["Root.", "Branch 1.", "Branch 2."]


class TestSidechains:
    """A subagent's conversation."""

    def test_is_no_turn_where_it_stands_among_a_sessions_records(self, tmp_path: Path) -> None:
        turns, transcript = read(
            tmp_path,
            user("Find it."),
            user("List the callers.", name="s1", isSidechain=True),
            asks("Grep", {}, id_="toolu_s", isSidechain=True),
            answers("two", id_="toolu_s", isSidechain=True),
            agent("Two callers.", name="s2", isSidechain=True),
            agent("Found."),
        )

        assert [turn.text for turn in turns] == ["Find it.", "Found."]
        assert transcript.report.warnings == []

    def test_fills_a_file_of_its_own_that_is_called_what_it_is(self, tmp_path: Path) -> None:
        records = [user("List.", isSidechain=True), agent("Two.", isSidechain=True)] * 2
        old = ClaudeTranscript(write(tmp_path / "agent-1.jsonl", *records))

        assert list(old.turns()) == []
        assert old.report.warnings == ["agent-1.jsonl is the conversation of a subagent, not of a person"]

    @pytest.mark.parametrize("folder", ["subagents", "subagents/workflows/wf_1"])
    def test_is_all_that_a_subagents_folder_holds(self, tmp_path: Path, folder: str) -> None:
        transcript = ClaudeTranscript(write(tmp_path / SESSION / folder / "agent-1.jsonl", user("Unmarked.")))

        assert list(transcript.turns()) == []
        assert "subagent" in transcript.report.warnings[0]


class TestSession:
    """Whose file it is."""

    def test_the_name_of_the_file_decides_though_it_holds_the_records_of_two(self, tmp_path: Path) -> None:
        turns, transcript = read(tmp_path, user("One.", name="1", sessionId=OTHER), user("Two.", name="2"))

        assert transcript.session.id == SESSION
        assert said(turns) == ["One.", "Two."]
        assert transcript.report.inherited == set()

    def test_a_file_with_another_name_is_of_the_first_session_in_it(self, tmp_path: Path) -> None:
        path = write(
            tmp_path / "copy.jsonl", {"type": "summary", "summary": "x"}, user("One.", sessionId=OTHER), user("Two.")
        )

        assert ClaudeTranscript(path).session.id == OTHER

    def test_a_file_that_names_no_session_is_its_own(self, tmp_path: Path) -> None:
        assert ClaudeTranscript(write(tmp_path / "notes.jsonl", {"type": "user"})).session.id == "notes"

    def test_the_working_directory_is_the_first_that_a_record_names(self, tmp_path: Path) -> None:
        _, transcript = read(tmp_path, {"type": "mode"}, user("1", cwd=None), user("2", cwd="/a"), user("3", cwd="/b"))

        assert transcript.session.cwd == "/a"

    def test_a_file_that_has_gone_is_an_error_that_names_it(self, tmp_path: Path) -> None:
        transcript = ClaudeTranscript(tmp_path / "gone.jsonl")

        with pytest.raises(TranscriptError, match=r"gone\.jsonl"):
            next(transcript.turns())
        with pytest.raises(TranscriptError, match=r"gone\.jsonl"):
            _ = transcript.session


class TestTitle:
    """What a session is called."""

    @pytest.mark.parametrize(
        ("records", "title"),
        [
            ([{"type": "custom-title", "customTitle": "mine"}, {"type": "ai-title", "aiTitle": "its"}], "mine"),
            ([{"type": "custom-title", "customTitle": n} for n in ("old", " new\nname ")], "new name"),
            (
                [{"type": "ai-title", "aiTitle": "its"}, {"type": "summary", "summary": "s", "leafUuid": uid("u")}],
                "its",
            ),
            ([{"type": "summary", "summary": "this one's", "leafUuid": uid("u")}], "this one's"),
            ([{"type": "summary", "summary": "another's", "leafUuid": uid("elsewhere")}], ""),
            ([{"type": "custom-title", "customTitle": ["x"]}, {"type": "ai-title"}, {"type": "summary"}], ""),
        ],
    )
    def test_is_the_persons_else_the_agents_else_the_summary_of_this_very_session(
        self, tmp_path: Path, records: list[Any], title: str
    ) -> None:
        _, transcript = read(tmp_path, *records, user("Hi."))

        assert transcript.report.title == title


class TestWarnings:
    """What a person should hear about a file."""

    def test_a_sizeable_file_without_a_word_of_a_person_is_reported_with_what_was_seen(self, tmp_path: Path) -> None:
        records = [{"type": "human_turn", "uuid": uid(f"{n}"), "text": "x" * 900} for n in range(10)]

        turns, transcript = read(tmp_path, *records, agent("Hello."))

        (warning,) = transcript.report.warnings
        assert said(turns) == []
        assert f"{SESSION}.jsonl has {transcript.path.stat().st_size} bytes" in warning
        assert "10 human_turn, 1 assistant" in warning
        assert "the format may have changed" in warning

    def test_a_small_file_without_a_word_of_a_person_is_not(self, tmp_path: Path) -> None:
        _, transcript = read(tmp_path, user("<command-name>/exit</command-name>"))

        assert transcript.report.warnings == []

    def test_a_sizeable_file_with_a_word_of_a_person_is_not(self, tmp_path: Path) -> None:
        _, transcript = read(tmp_path, user("Hi."), {"type": "later", "x": "y" * 10_000}, b"torn")

        assert transcript.report.warnings == []
        assert transcript.report.unknown_types == {"later": 1}
        assert transcript.report.skipped_lines == 1

    def test_the_report_is_of_the_latest_reading(self, tmp_path: Path) -> None:
        _, transcript = read(tmp_path, user("Hi."), b"torn")
        first = transcript.report

        for _ in range(2):
            list(transcript.turns())

        assert transcript.report == first
        assert transcript.report is not first


@pytest.mark.parametrize("fields", [{"promptSource": "sdk"}, {"entrypoint": "sdk-cli"}, {"entrypoint": "sdk-ts"}])
def test_the_prompt_of_a_headless_run_is_marked_as_unattended(tmp_path: Path, fields: dict[str, str]) -> None:
    turns, _ = read(tmp_path, user("nightly report", name="first", **fields), user("typed", name="second"))

    assert [turn.unattended for turn in turns] == [True, False]
