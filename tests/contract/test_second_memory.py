"""Somebody can write another Memory plugin from the contract alone. This one was: it keeps everything in one list."""

from __future__ import annotations

import pytest

from pulse_hookspecs import (
    ArchiveReceipt,
    CheckpointReceipt,
    Degraded,
    Health,
    Healthy,
    Message,
    PluginMeta,
    Plugins,
    Role,
    SessionMeta,
    SetupPrompt,
    StartContext,
    TextBlock,
    hookimpl,
)


class ListMemory:
    """Remembers what people said, until the process ends."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Message]] = {}
        self.limit = 0

    @hookimpl
    def plugin_meta(self) -> PluginMeta:
        return PluginMeta(name="list", version="0.1", role=Role.MEMORY)

    @hookimpl
    def setup_prompts(self) -> tuple[SetupPrompt, ...]:
        return (SetupPrompt(key="limit", question="How many messages may it hold?", kind="integer", default=3),)

    @hookimpl
    def start(self, context: StartContext) -> None:
        limit = context.config.get("limit", 3)
        if not isinstance(limit, int):
            raise ValueError("limit must be a whole number")
        self.limit = limit

    @hookimpl
    def session_context(self) -> str | None:
        said = [message.text for session in self.kept.values() for message in session.values()]
        return "\n".join(said) or None

    @hookimpl
    def create_checkpoint(self, session: SessionMeta, messages: tuple[Message, ...], trigger: str) -> CheckpointReceipt:
        new, full = self._keep(session, messages)
        return CheckpointReceipt(
            session_id=session.session_id, saved=not full, trigger=trigger, new_messages=new, reasons=full
        )

    @hookimpl
    def archive_session(self, session: SessionMeta, messages: tuple[Message, ...]) -> ArchiveReceipt:
        new, full = self._keep(session, messages)
        known = len(messages) - new
        return ArchiveReceipt(
            session_id=session.session_id, archived=not full, new_messages=new, already_known=known, reasons=full
        )

    @hookimpl
    def health(self) -> Health:
        full = sum(map(len, self.kept.values())) >= self.limit
        return Degraded(reasons=("the list is full; raise `limit`",)) if full else Healthy()

    def _keep(self, session: SessionMeta, messages: tuple[Message, ...]) -> tuple[int, tuple[str, ...]]:
        known = self.kept.setdefault(session.session_id, {})
        new = [message for message in messages if message.id not in known]
        if sum(map(len, self.kept.values())) + len(new) > self.limit:
            return 0, ("the list is full; raise `limit`",)
        known.update({message.id: message for message in new})
        return len(new), ()


def said(number: int) -> Message:
    return Message(id=f"m-{number}", role="user", blocks=(TextBlock(text=f"word {number}"),))


@pytest.fixture
def plugins(tmp_path):
    loaded = Plugins.load(group=None, extra={"list": ListMemory})
    with loaded.running(pulse_root=tmp_path, pulse_name="ada", config={"list": {"limit": 3}}):
        yield loaded


def test_it_fills_the_memory_role(plugins):
    assert plugins.memory == "list"
    assert plugins.setup_prompts()["list"][0].default == 3


def test_it_keeps_a_session_in_parts_and_each_message_once(plugins):
    session = SessionMeta(session_id="s-1")

    checkpoint = plugins.create_checkpoint(session, (said(1), said(2)), "auto")
    archive = plugins.archive_session(session, (said(2), said(3)))

    assert (checkpoint.saved, checkpoint.new_messages) == (True, 2)
    assert (archive.archived, archive.new_messages, archive.already_known) == (True, 1, 1)
    assert plugins.session_context(SessionMeta(session_id="s-2")) == "word 1\nword 2\nword 3"


def test_it_says_why_it_does_not_keep_more(plugins):
    receipt = plugins.archive_session(SessionMeta(session_id="s-1"), tuple(map(said, range(4))))

    assert not receipt.archived
    assert receipt.reasons == ("the list is full; raise `limit`",)
    assert plugins.health()["list"] == Healthy()


def test_it_is_down_with_a_config_that_it_refuses(tmp_path):
    plugins = Plugins.load(group=None, extra={"list": ListMemory})

    with plugins.running(pulse_root=tmp_path, pulse_name="ada", config={"list": {"limit": "many"}}):
        health = plugins.health()["list"]

    assert health.reason == "start raised ValueError: limit must be a whole number"
