"""recall as a host sees it: found by its entry point, called through a real plugin manager."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import SAMPLES
from hypothesis import given
from strategies import conversations as any_conversations

from pulse_hookspecs import (
    ArchiveReceipt,
    Degraded,
    Down,
    Healthy,
    Message,
    Plugins,
    SessionMeta,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from recall_plugin.domain.conversation import Conversation, Role, Turn
from recall_plugin.domain.layout import Layout
from recall_plugin.files import conversations, index
from recall_plugin.messages import conversation_of, messages_of, session_meta

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
TRANSCRIPT = next((SAMPLES / "claude-code" / "home").rglob("7c1f*.jsonl"))
SESSION = SessionMeta(session_id="s1", agent="host", cwd="/home/ada/harbor")


@pytest.fixture
def plugins(tmp_path: Path) -> Iterator[Plugins]:
    """The plugins that are installed, running on a fresh root."""
    found = Plugins.load()
    root = tmp_path / "nia"
    root.mkdir()
    with found.running(pulse_root=root, pulse_name="nia"):
        yield found


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "nia")


def talk(*names: str, ids: bool = True) -> tuple[Message, ...]:
    return tuple(
        Message(
            id=name if ids else "",
            role="user" if place % 2 == 0 else "assistant",
            blocks=(TextBlock(text=f"text of {name}"),),
            time=NOON + timedelta(minutes=place),
        )
        for place, name in enumerate(names)
    )


def kept(layout: Layout) -> list[str]:
    return [
        turn.text
        for number in conversations.numbers(layout)
        for turn in conversations.read_archive(layout.conversation(number)).turns
    ]


def test_recall_is_found_by_its_entry_point_and_fills_the_memory_role(plugins: Plugins) -> None:
    assert plugins.memory == "recall"
    assert [prompt.key for prompt in plugins.setup_prompts()["recall"]] == ["pulse_root"]


def test_starting_makes_the_memory_and_registers_no_root(plugins: Plugins, layout: Layout, home: Path) -> None:
    assert layout.curated.exists()
    assert not (home / ".config").exists()


def test_a_session_is_archived_and_told_to_the_next_one(plugins: Plugins, layout: Layout) -> None:
    assert "Nothing is remembered yet" in str(plugins.session_context(SESSION))

    receipt = plugins.archive_session(SESSION, talk("a", "b"))

    assert receipt == ArchiveReceipt(
        session_id="s1", archived=True, archive=str(layout.conversation(1)), number=1, new_messages=2
    )
    assert "text of a" in str(plugins.session_context(SESSION))
    assert plugins.archive_session(SESSION, talk("a", "b")) == ArchiveReceipt(
        session_id="s1", archived=True, already_known=2
    )


def test_a_checkpoint_and_the_end_are_one_session(plugins: Plugins, layout: Layout) -> None:
    saved = plugins.create_checkpoint(SESSION, talk("a", "b"), "auto")
    ended = plugins.archive_session(SESSION, talk("a", "b", "c", "d")[1:])  # "a" went with the compaction

    assert not isinstance(saved, Down)
    assert saved.saved
    assert not isinstance(ended, Down)
    assert (ended.new_messages, ended.already_known) == (2, 1)
    assert kept(layout) == [f"text of {name}" for name in "abcd"]
    assert [row.parts for row in index.read(layout) or []] == [(1, 2)]


def test_messages_without_ids_are_known_by_their_place(plugins: Plugins, layout: Layout) -> None:
    plugins.create_checkpoint(SESSION, talk("yes", "ok", "yes", ids=False), "auto")
    plugins.archive_session(SESSION, talk("yes", "ok", "yes", "ok", ids=False))

    assert kept(layout) == ["text of yes", "text of ok", "text of yes", "text of ok"]


def test_a_tools_use_and_result_are_one_turn(plugins: Plugins, layout: Layout) -> None:
    plugins.archive_session(
        SESSION,
        (
            *talk("a"),
            Message(id="u", role="assistant", blocks=(
                TextBlock(text="I look."),
                ToolUseBlock(id="t1", name="Edit", input={"file_path": "/a.py", "old_string": "x"}),
            )),
            Message(id="r", role="user", blocks=(ToolResultBlock(tool_use_id="t1", text="updated"),)),
        ),
    )  # fmt: skip

    turns = conversations.read_archive(layout.conversation(1)).turns
    assert [(turn.id, turn.role, turn.text) for turn in turns] == [
        ("a", Role.USER, "text of a"),
        ("u", Role.ASSISTANT, "I look."),
        ("t1", Role.TOOL, "updated"),
    ]
    assert turns[2].tool is not None
    assert (turns[2].tool.paths, turns[2].tool.writes) == (("/a.py",), True)


def test_a_replayed_transcript_and_an_archived_one_are_the_same_session(plugins: Plugins, layout: Layout) -> None:
    reading = plugins.read_transcript(TRANSCRIPT)
    assert reading is not None
    assert not isinstance(reading, Down)
    plugins.archive_session(reading.session, tuple(reading))
    from recall_plugin.memory.archive import archive_file
    from recall_plugin.memory.policy import settings

    again = archive_file(layout, TRANSCRIPT, settings(layout))

    assert again.outcome.path is None
    assert again.outcome.known > 20


def test_a_file_of_no_known_format_is_left_to_other_plugins(plugins: Plugins, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello\n" * 10)

    assert plugins.read_transcript(tmp_path / "x") is None


def test_a_refused_config_is_down_with_its_reason_and_sessions_are_kept(plugins: Plugins, layout: Layout) -> None:
    layout.config.write_text("[nonsense]\n")
    layout.config.chmod(0o600)

    receipt = plugins.archive_session(SESSION, talk("a"))
    health = plugins.health()["recall"]

    assert isinstance(receipt, ArchiveReceipt)
    assert receipt.archived
    assert isinstance(health, Down)
    assert "nonsense: unknown key" in health.reason
    assert "nonsense: unknown key" in str(plugins.session_context(SESSION))


def test_health_shows_each_layer(plugins: Plugins, layout: Layout) -> None:
    health = plugins.health()["recall"]
    assert isinstance(health, Healthy)
    assert [layer.name for layer in health.layers] == ["config", "curated", "ephemeral", "archives", "graph"]

    layout.curated.unlink()
    health = plugins.health()["recall"]
    assert isinstance(health, Degraded)
    assert "MEMORY.md is missing" in health.reasons[0]


def test_what_cannot_be_written_is_a_receipt_with_reasons(plugins: Plugins, layout: Layout) -> None:
    layout.conversations.rmdir()
    layout.conversations.write_text("a file in the way")

    receipt = plugins.archive_session(SESSION, talk("a"))
    saved = plugins.create_checkpoint(SESSION, talk("a"), "auto")

    assert isinstance(receipt, ArchiveReceipt)
    assert not receipt.archived
    assert "a file stands where a folder should be" in receipt.reasons[0]
    assert not isinstance(saved, Down)
    assert not saved.saved


def test_secrets_in_messages_are_masked(plugins: Plugins, layout: Layout) -> None:
    secret = "ghp_" + "aB3dE5fG7h" * 3 + "iJ9kL1"
    message = Message(id="m", role="user", blocks=(TextBlock(text=f"my token is {secret}, keep it"),))

    plugins.archive_session(SESSION, (message,))

    assert secret not in layout.conversation(1).read_text()
    assert kept(layout) == ["my token is [redacted: github-token], keep it"]


def test_an_async_host_calls_the_hooks_in_threads(plugins: Plugins, layout: Layout) -> None:
    async def host() -> None:
        await asyncio.gather(
            *(
                asyncio.to_thread(
                    plugins.archive_session, SessionMeta(session_id=f"s{number}", agent="host"), talk(f"m{number}")
                )
                for number in range(6)
            )
        )

    asyncio.run(host())

    assert len(index.read(layout) or []) == 6
    assert conversations.numbers(layout) == [1, 2, 3, 4, 5, 6]


@given(any_conversations)
def test_turns_survive_the_way_through_a_host(conversation: Conversation) -> None:
    unique: dict[str, Turn] = {turn.id or "#": turn for turn in conversation.turns if turn.id}
    turns = tuple(
        turn for turn in unique.values() if turn.tool is not None or (turn.text.strip() and not turn.unattended)
    )

    back = conversation_of(session_meta(conversation.session), messages_of(turns))

    assert [(turn.id, turn.role, turn.text.strip(), turn.time, turn.tool) for turn in back.turns] == [
        (turn.id, turn.role, turn.text.strip(), turn.time, turn.tool) for turn in turns
    ]
