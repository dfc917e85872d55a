"""Nothing kept is lost or kept twice, whatever the order in which a session's parts arrive."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import conversations as any_conversations

from recall_plugin.domain.conversation import Conversation, Role, Session, ToolActivity, Turn
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.errors import LayoutError, WriteFailed
from recall_plugin.files import archiving, conversations, ephemeral, index, layers
from recall_plugin.files.archiving import Outcome
from recall_plugin.files.policy import Policy
from recall_plugin.files.redaction import redact
from recall_plugin.memory.setup import make_memory

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
PLAIN = Policy(redact=lambda text: text)


def said(*names: str, start: int = 0) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            name,
            Role.USER if place % 2 == 0 else Role.ASSISTANT,
            f"text of {name}",
            NOW + timedelta(minutes=start + place),
        )
        for place, name in enumerate(names)
    )


def keep(
    layout: Layout, turns: tuple[Turn, ...], session_id: str = "s1", source: str = "session", policy: Policy = PLAIN
) -> Outcome:
    session = Session(session_id, "claude-code", "/home/ada/harbor")
    return archiving.archive(layout, GivenTranscript(Conversation(session, turns)), policy, source=source, now=NOW)


def kept_texts(layout: Layout) -> list[str]:
    return [
        turn.text
        for number in conversations.numbers(layout)
        for turn in conversations.read_archive(layout.conversation(number)).turns
    ]


def test_a_session_becomes_a_file_a_row_and_an_entry(layout: Layout) -> None:
    outcome = keep(layout, said("a", "b"))

    assert outcome.number == 1
    assert outcome.path == layout.conversation(1)
    assert outcome.messages == 2
    rows = index.read(layout)
    assert rows is not None
    assert [(row.session_id, row.parts, row.messages, row.duration) for row in rows] == [("s1", (1,), 2, "1m")]
    assert "conversation 001" in (ephemeral.read(layout) or "")


def test_a_session_archived_again_writes_nothing(layout: Layout) -> None:
    keep(layout, said("a", "b"))
    before = {path: path.read_bytes() for path in layout.memory.rglob("*") if path.is_file() and path != layout.lock}

    again = keep(layout, said("a", "b"))

    assert again.path is None
    assert again.known == 2
    assert before == {path: path.read_bytes() for path in before}
    assert conversations.numbers(layout) == [1]


def test_what_is_new_is_a_linked_continuation_with_one_row_and_one_entry(layout: Layout) -> None:
    keep(layout, said("a", "b"), source="checkpoint")
    keep(layout, said("x", "y"), session_id="s2")

    outcome = keep(layout, said("a", "b", "c", "d"))

    assert (outcome.number, outcome.continues, outcome.messages) == (3, 1, 2)
    assert [turn.id for turn in conversations.read_archive(layout.conversation(3)).turns] == ["c", "d"]
    rows = index.read(layout) or []
    assert [(row.session_id, row.parts, row.messages) for row in rows] == [("s1", (1, 3), 4), ("s2", (2,), 2)]
    entries = ephemeral.entries_of(ephemeral.read(layout) or "")
    assert ["conversation 002" in entry for entry in entries] == [True, False]
    assert ["conversation 003" in entry for entry in entries] == [False, True]


def test_the_same_words_said_twice_are_kept_twice(layout: Layout) -> None:
    turns = (Turn("1", Role.USER, "yes"), Turn("2", Role.ASSISTANT, "ok"), Turn("3", Role.USER, "yes"))

    keep(layout, turns[:2])
    keep(layout, turns)

    assert kept_texts(layout) == ["yes", "ok", "yes"]


def test_a_fork_keeps_only_its_own_turns_where_its_parent_is_archived(layout: Layout) -> None:
    keep(layout, said("a", "b", "c"), session_id="parent")

    outcome = keep(layout, said("a", "b") + said("f", "g", start=100), session_id="fork")

    assert outcome.continues == 1
    assert [turn.id for turn in conversations.read_archive(layout.conversation(2)).turns] == ["f", "g"]


def test_a_fork_keeps_what_it_inherited_where_its_lineage_lacks_it(layout: Layout) -> None:
    keep(layout, said("a", "b") + said("f", start=100), session_id="fork")

    outcome = keep(layout, said("a", "b", "c"), session_id="parent")

    assert outcome.continues == 1
    assert kept_texts(layout) == ["text of a", "text of b", "text of f", "text of c"]


def test_a_resumed_fork_still_knows_its_parents_turns(layout: Layout) -> None:
    keep(layout, said("a", "b"), session_id="parent", source="checkpoint")
    keep(layout, said("a", "b", "c"), session_id="parent")
    keep(layout, said("a", "b", "c") + said("f", start=100), session_id="fork")

    keep(layout, said("a", "b", "c") + said("f", "g", start=100), session_id="fork")

    assert sorted(kept_texts(layout)) == [f"text of {name}" for name in "abcfg"]


def test_two_agents_may_use_the_same_session_id(layout: Layout) -> None:
    turns = (Turn("", Role.USER, "hello"),)
    for agent in ("one", "two"):
        source = GivenTranscript(Conversation(Session("main", agent), turns))
        archiving.archive(layout, source, PLAIN, source="session", now=NOW)

    assert [row.agent for row in index.read(layout) or []] == ["one", "two"]


def test_a_session_in_which_nothing_was_said_is_not_archived(layout: Layout) -> None:
    outcome = keep(layout, (Turn("t", Role.TOOL, "out", tool=ToolActivity("Read")),))

    assert outcome == Outcome("s1")
    assert conversations.numbers(layout) == []


def test_a_tool_answered_later_is_kept_with_its_answer(layout: Layout) -> None:
    waiting = Turn("t~", Role.TOOL, "", tool=ToolActivity("Bash"))
    answered = Turn("t", Role.TOOL, "done", tool=ToolActivity("Bash"))

    keep(layout, (*said("a"), waiting))
    keep(layout, (*said("a"), answered))
    keep(layout, (*said("a"), waiting))

    assert kept_texts(layout) == ["text of a", "", "done"]


def test_secrets_are_masked_before_a_tools_output_is_clipped(layout: Layout) -> None:
    policy = Policy(redact=lambda text: text.replace("SECRET", "[redacted]"), tool_text_limit=30)
    turn = Turn("t", Role.TOOL, "x" * 18 + "SECRET" + "y" * 40, tool=ToolActivity("Bash", input="echo SECRET"))

    keep(layout, (*said("a"), turn), policy=policy)

    raw = layout.conversation(1).read_text()
    assert "SECRET" not in raw
    assert "SEC" not in raw
    assert "characters left out" in raw


def test_a_number_that_something_else_took_is_left_alone(layout: Layout) -> None:
    layout.conversation(1).mkdir()

    outcome = keep(layout, said("a"))

    assert outcome.number == 2
    assert layout.conversation(1).is_dir()
    assert [row.session_id for row in index.read(layout) or []] == ["conversation-001", "s1"]


def test_the_window_is_first_in_first_out(layout: Layout) -> None:
    for number in range(1, 8):
        keep(layout, said(f"t{number}"), session_id=f"s{number}")

    entries = ephemeral.entries_of(ephemeral.read(layout) or "")

    assert [entry.split("conversation ")[1][:3] for entry in entries] == ["003", "004", "005", "006", "007"]


@pytest.mark.parametrize("window", [1, 50])
def test_the_window_is_as_wide_as_the_policy_says(layout: Layout, window: int) -> None:
    for number in range(window + 1):
        keep(layout, said(f"t{number}"), f"s{number}", policy=Policy(lambda text: text, window=window))

    assert len(ephemeral.entries_of(ephemeral.read(layout) or "")) == window


def test_a_conversation_that_the_index_missed_is_listed_once(layout: Layout) -> None:
    keep(layout, said("a"))
    stale = layout.index.read_bytes(), layout.ephemeral.read_bytes()
    keep(layout, said("b"), session_id="s2")
    layout.index.write_bytes(stale[0])
    layout.ephemeral.write_bytes(stale[1])

    found = layers.repair(layout, 5)

    assert [str(what) for what in found] == ["ARCHIVE.md does not list conversation 002"]
    assert [row.parts for row in index.read(layout) or []] == [(1,), (2,)]
    assert layers.disagreements(layout) == []


@pytest.mark.parametrize("cut", [0, 1, 200])
def test_half_a_derived_file_is_made_again(layout: Layout, cut: int) -> None:
    keep(layout, said("a", "b"))
    whole = layout.index.read_bytes(), layout.ephemeral.read_bytes()
    layout.index.write_bytes(whole[0][:cut])
    layout.ephemeral.write_bytes(whole[1][:cut])

    found = layers.repair(layout, 5)

    assert [str(what) for what in found] == [
        "ARCHIVE.md is cut or was altered",
        "EPHEMERAL.md is cut or was altered",
    ]
    assert (layout.index.read_bytes(), layout.ephemeral.read_bytes()) == whole


def test_a_deleted_conversation_leaves_the_index(layout: Layout) -> None:
    keep(layout, said("a"), source="checkpoint")
    keep(layout, said("a", "b"))
    layout.conversation(1).unlink()

    layers.repair(layout, 5)

    assert [(row.parts, row.messages) for row in index.read(layout) or []] == [((2,), 1)]


def test_an_unreadable_part_stops_the_archiving_of_its_session_and_names_the_file(layout: Layout) -> None:
    keep(layout, said("a"))
    text = layout.conversation(1)
    text.unlink()
    text.mkdir()

    with pytest.raises(LayoutError, match=r"conversation-001\.md"):
        keep(layout, said("a", "b"))


@settings(max_examples=40)
@given(any_conversations, st.integers(0, 6), st.integers(0, 6))
def test_however_a_session_is_cut_into_parts_each_turn_is_kept_once(
    tmp_path_factory: pytest.TempPathFactory, conversation: Conversation, first: int, second: int
) -> None:
    layout = make_memory(tmp_path_factory.mktemp("root")).layout
    turns = tuple({turn.id or f"#{place}": turn for place, turn in enumerate(conversation.turns)}.values())
    turns = tuple(turn for turn in turns if not turn.id.endswith("~"))

    for end in (first, second, len(turns)):
        source = GivenTranscript(Conversation(conversation.session, turns[:end]))
        archiving.archive(
            layout, source, Policy(lambda text: text, tool_text_limit=10**6), source="checkpoint", now=NOW
        )

    kept = [
        turn
        for number in conversations.numbers(layout)
        for turn in conversations.read_archive(layout.conversation(number)).turns
    ]
    if any(turn.role is not Role.TOOL for turn in turns):
        assert sorted(map(repr, kept)) == sorted(map(repr, turns))
    assert layers.disagreements(layout) == []
    assert len(index.read(layout) or []) <= 1


def test_a_hostile_session_id_escapes_nowhere(layout: Layout, tmp_path: Path) -> None:
    for hostile in ("a | 999 | b\n| 1000 |", "../../outside", "x" * 5000, "---\nlog: 999\n---"):
        keep(layout, said(f"turn of {hostile}"), session_id=hostile)

    assert conversations.numbers(layout) == [1, 2, 3, 4]
    assert [row.session_id for row in index.read(layout) or []][1] == "../../outside"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nia"]


def test_the_latest_sessions_are_the_latest_said_not_the_latest_archived(layout: Layout) -> None:
    for name, start in (("new", 10_000), ("newest", 20_000), ("older", 5_000), ("old", 0)):
        keep(layout, said(f"turn of {name}", start=start), session_id=name, policy=Policy(lambda text: text, window=2))

    assert [row.session_id for row in index.read(layout) or []] == ["old", "older", "new", "newest"]
    entries = ephemeral.entries_of(ephemeral.read(layout) or "")
    assert ["turn of new." in f"{entry.strip()}." for entry in entries] == [True, False]
    assert "turn of newest" in entries[1]


def test_a_turn_that_was_cut_off_in_its_file_is_kept_again_whole(layout: Layout) -> None:
    keep(layout, said("a", "b"))
    whole = layout.conversation(1).read_bytes()
    layout.conversation(1).write_bytes(whole[: whole.rindex(b"text of b") + 4])

    outcome = keep(layout, said("a", "b"))

    assert outcome.messages == 1
    assert kept_texts(layout) == ["text of a", "text", "text of b"]


def test_a_window_of_another_width_is_a_disagreement_and_is_mended(layout: Layout) -> None:
    for number in range(4):
        keep(layout, said(f"t{number}", start=number * 100), session_id=f"s{number}")

    assert [str(what) for what in layers.repair(layout, 2)] == ["EPHEMERAL.md holds 4 sessions instead of 2"]
    assert len(ephemeral.entries_of(ephemeral.read(layout) or "")) == 2
    assert layers.repair(layout, 2) == []


def test_missing_conversations_do_not_empty_the_index(layout: Layout) -> None:
    keep(layout, said("a"))
    before = layout.index.read_bytes()
    layout.conversations.rename(layout.memory / "away")

    with pytest.raises(LayoutError, match="the folder of conversations is missing"):
        layers.repair(layout, 5)

    assert layout.index.read_bytes() == before


def test_two_sessions_that_number_their_turns_alike_are_both_kept(layout: Layout) -> None:
    for name in ("one", "two"):
        turns = tuple(replace(turn, text=f"{name}: {turn.text}") for turn in said("m-1", "m-2", "m-3"))
        assert keep(layout, turns, session_id=name).messages == 3
    other = GivenTranscript(Conversation(Session("three", "another-agent"), said("m-1", "m-2")))
    archiving.archive(layout, other, PLAIN, source="session", now=NOW)

    assert len(kept_texts(layout)) == 8


def test_tools_of_two_sessions_may_have_the_same_id(layout: Layout) -> None:
    for name, minute in (("one", 0), ("two", 1)):
        tool = Turn("call_0", Role.TOOL, f"output of {name}", NOW + timedelta(minutes=minute), ToolActivity("Bash"))
        keep(layout, (*said(f"{name}-1", start=minute), tool), session_id=name)

    assert kept_texts(layout) == ["text of one-1", "output of one", "text of two-1", "output of two"]


def test_an_id_used_again_within_a_session_is_another_turn(layout: Layout) -> None:
    first = Turn("call_0", Role.TOOL, "first", NOW, ToolActivity("Bash"))
    second = Turn("call_0", Role.TOOL, "second", NOW + timedelta(minutes=5), ToolActivity("Bash"))
    same_name = Turn("a", Role.TOOL, "a tool named as a message", NOW, ToolActivity("Bash"))

    keep(layout, (*said("a"), first), source="checkpoint")
    keep(layout, (*said("a"), first, second, same_name))
    keep(layout, (*said("a"), first, second, same_name))

    assert kept_texts(layout) == ["text of a", "first", "second", "a tool named as a message"]


@pytest.mark.parametrize("parent_first", [True, False])
def test_a_fork_archived_between_two_archives_of_its_parent_keeps_nothing_twice(
    layout: Layout, parent_first: bool
) -> None:
    names = [f"p{number}" for number in range(120)]
    if parent_first:
        keep(layout, said(*names[:20]), session_id="parent", source="checkpoint")
    keep(layout, said(*names[:100]) + said("f", start=500), session_id="fork")
    keep(layout, said(*names[:110]) + said("g", start=600), session_id="another fork")

    keep(layout, said(*names), session_id="parent")

    assert sorted(kept_texts(layout)) == sorted(f"text of {name}" for name in [*names, "f", "g"])


def test_a_compacted_session_without_ids_archived_again_writes_nothing(layout: Layout) -> None:
    def plain(*names: str) -> tuple[Turn, ...]:
        return tuple(replace(turn, id="", time=None) for turn in said(*names))

    keep(layout, plain("m1", "m2", "m3", "m4", "m5"), source="checkpoint")
    keep(layout, plain("SUMMARY", "m4", "m5", "m6"))
    again = keep(layout, plain("SUMMARY", "m4", "m5", "m6"))

    assert again.path is None
    assert kept_texts(layout) == [f"text of {name}" for name in ("m1", "m2", "m3", "m4", "m5", "SUMMARY", "m6")]


def test_turns_without_ids_are_known_whether_or_not_secrets_are_masked_and_however_much_is_clipped(
    layout: Layout,
) -> None:
    secret = "token ghp_" + "aB3dE5fG7h" * 3 + "iJ9kL1"
    tool = Turn("", Role.TOOL, secret + "x" * 5000, tool=ToolActivity("Bash"))
    turns = (Turn("", Role.USER, secret), tool)

    keep(layout, turns, policy=Policy(lambda text: text), source="checkpoint")
    again = keep(layout, turns, policy=Policy(redact, tool_text_limit=1000))

    assert again.path is None


def test_without_the_lock_two_archivers_of_one_session_keep_each_turn_once(layout: Layout) -> None:
    policy = Policy(lambda text: text, patience=0.0, needs_lock=False)
    turns = said(*(f"t{number}" for number in range(300)))
    with layers.locked(layout):
        threads = [threading.Thread(target=keep, args=(layout, turns), kwargs={"policy": policy}) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(kept_texts(layout)) == 300


@pytest.mark.parametrize("kind", ["folder", "fifo", "link"])
def test_a_bad_lock_costs_a_hook_nothing_and_is_never_written_into(layout: Layout, tmp_path: Path, kind: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    layout.lock.unlink(missing_ok=True)
    {"folder": layout.lock.mkdir, "fifo": lambda: os.mkfifo(layout.lock)}.get(
        kind, lambda: layout.lock.symlink_to(precious)
    )()

    with pytest.raises(WriteFailed, match=r"\.lock"):
        keep(layout, said("a"))
    outcome = keep(layout, said("a"), policy=Policy(lambda text: text, needs_lock=False))

    assert outcome.number == 1
    assert outcome.notes
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("name", ["index", "ephemeral"])
def test_an_unreadable_derived_file_costs_no_session(layout: Layout, name: str) -> None:
    path: Path = getattr(layout, name)
    path.unlink()
    os.mkfifo(path)

    outcome = keep(layout, said("a"))

    assert outcome.number == 1
    assert layers.disagreements(layout) == []


def test_a_conversation_replaced_by_a_fifo_stops_nothing(layout: Layout) -> None:
    keep(layout, said("a"), session_id="s1")
    layout.conversation(1).unlink()
    os.mkfifo(layout.conversation(1))

    assert keep(layout, said("b"), session_id="s2").number == 2


def test_an_absurd_number_is_none_of_ours(layout: Layout) -> None:
    (layout.conversations / "conversation-10000000000000000000.md").write_text("### User\n\nhi\n")

    assert keep(layout, said("a")).number == 1
    layout.conversation(999_999_999).write_text("### User\n\nhi\n")
    with pytest.raises(LayoutError, match="last number"):
        keep(layout, said("b"), session_id="s2")


def test_the_secrets_of_a_sessions_own_fields_are_masked(layout: Layout) -> None:
    token = "ghp_" + "aB3dE5fG7h" * 3 + "iJ9kL1"
    session = Session(f"id-{token}", "a", f"/home/{token}")
    tool = Turn("t", Role.TOOL, "out", NOW, ToolActivity(f"run {token}"))
    source = GivenTranscript(Conversation(session, (*said("a"), tool)))

    for _ in range(2):
        archiving.archive(layout, source, Policy(redact), source="checkpoint", trigger=token, now=NOW)

    assert conversations.numbers(layout) == [1]
    assert not any(token in path.read_text() for path in layout.memory.rglob("*.md"))
