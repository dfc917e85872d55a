"""The values of the contract: frozen, strict, and the same after a trip through JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pulse_hookspecs import (
    ArchiveReceipt,
    CheckpointReceipt,
    Degraded,
    Down,
    HealthAdapter,
    Healthy,
    LayerHealth,
    LLMProvider,
    Message,
    PluginMeta,
    Role,
    SessionMeta,
    SetupPrompt,
    StartContext,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    worst,
)

# Any text that Python can hold, lone surrogates included.
words = st.text(max_size=30)
filled = st.text(min_size=1, max_size=30)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1), timezones=offsets)
maybe_instants = st.none() | instants
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)

blocks = st.one_of(
    st.builds(TextBlock, text=words),
    st.builds(ToolUseBlock, id=words, name=filled, input=st.dictionaries(words, json_values, max_size=3)),
    st.builds(ToolResultBlock, tool_use_id=words, text=words, is_error=st.booleans()),
)
messages = st.builds(
    Message,
    id=words,
    role=st.sampled_from(["user", "assistant"]),
    blocks=st.lists(blocks, max_size=4),
    time=maybe_instants,
)
sessions = st.builds(
    SessionMeta,
    session_id=filled,
    agent=words,
    cwd=words,
    started_at=maybe_instants,
    ended_at=maybe_instants,
    title=words,
)
facts = {
    "session_id": filled,
    "archive": st.none() | words,
    "number": st.none() | st.integers(1, 10**9),
    "new_messages": st.integers(0, 10**9),
    "already_known": st.integers(0, 10**9),
    "notes": st.lists(filled, max_size=2),
}
some_reasons = st.lists(filled, min_size=1, max_size=3)
receipts = st.one_of(
    st.builds(ArchiveReceipt, archived=st.just(True), **facts),
    st.builds(ArchiveReceipt, archived=st.just(False), reasons=some_reasons, **facts),
    st.builds(CheckpointReceipt, saved=st.just(True), trigger=filled, **facts),
    st.builds(CheckpointReceipt, saved=st.just(False), trigger=filled, reasons=some_reasons, **facts),
)


def healths(layers):
    return st.one_of(
        st.builds(Healthy, layers=layers),
        st.builds(Degraded, reasons=some_reasons, layers=layers),
        st.builds(Down, reason=filled, layers=layers),
    )


layered = healths(st.lists(st.builds(LayerHealth, name=filled, health=healths(st.just(())), detail=words), max_size=3))
prompts = st.one_of(
    st.builds(SetupPrompt, key=st.just("a_key1"), question=filled, secret=st.booleans(), required=st.booleans()),
    st.builds(SetupPrompt, key=st.just("n"), question=filled, kind=st.just("integer"), default=st.integers()),
    st.builds(SetupPrompt, key=st.just("f"), question=filled, kind=st.just("flag"), default=st.booleans()),
    st.builds(SetupPrompt, key=st.just("p"), question=filled, kind=st.just("path"), default=words),
)
metas = st.builds(PluginMeta, name=filled, version=filled, role=st.sampled_from(Role), description=words)


@given(messages | sessions | receipts | prompts | metas | layered)
def test_a_value_is_the_same_after_a_trip_through_json(value):
    text = value.model_dump_json()

    assert type(value).model_validate_json(text) == value
    json.loads(text.encode("utf-8"))


@given(layered)
def test_a_health_is_recognised_in_json_without_knowing_which_one_it_is(health):
    assert HealthAdapter.validate_json(health.model_dump_json()) == health


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        (Healthy(), {"state": "healthy", "layers": []}),
        (Degraded(reasons=("slow",)), {"state": "degraded", "reasons": ["slow"], "layers": []}),
        (Down(reason="gone"), {"state": "down", "reason": "gone", "layers": []}),
    ],
)
def test_the_three_healths_can_be_told_apart_in_json(health, expected):
    assert health.model_dump(mode="json") == expected


@given(instants)
def test_a_time_is_kept_in_utc_whatever_its_offset(instant):
    kept = Message(role="user", time=instant).time

    assert kept == instant
    assert kept.tzinfo is UTC


@pytest.mark.parametrize("naive", [datetime(2026, 3, 7), "2026-03-07T04:30:00"])
def test_a_time_without_an_offset_is_refused(naive):
    with pytest.raises(ValidationError, match="timezone"):
        Message(role="user", time=naive)


def test_a_time_that_utc_cannot_hold_is_refused():
    with pytest.raises(ValidationError, match="outside the years"):
        Message(role="user", time="0001-01-01T00:00:00+10:00")


def test_half_a_surrogate_pair_becomes_a_replacement_character_however_deep():
    block = ToolUseBlock(name="\ud800", input={"\udc00": ["a\ud83d", {"b": "\U0001f600"}]})

    assert block.name == "\ufffd"
    assert block.input == {"\ufffd": ["a\ufffd", {"b": "\U0001f600"}]}


def test_a_message_does_not_change_with_the_json_it_was_made_from():
    given_input = {"paths": ["a"]}
    block = ToolUseBlock(name="read", input=given_input)

    given_input["paths"].append("b")

    assert block.input == {"paths": ["a"]}


def test_a_number_that_json_lacks_becomes_null_in_json():
    assert '"input":{"x":null}' in ToolUseBlock(name="t", input={"x": float("nan")}).model_dump_json()


def test_what_is_no_json_is_no_tool_input():
    with pytest.raises(ValidationError, match="JSON"):
        ToolUseBlock(name="t", input={"x": object()})


def test_the_text_of_a_message_is_its_words_without_tool_activity():
    message = Message(
        role="assistant",
        blocks=(TextBlock(text="one"), ToolUseBlock(name="ls"), ToolResultBlock(text="no"), TextBlock(text="two")),
    )

    assert message.text == "one\ntwo"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Message(role="system"),
        lambda: Message(role="user", blocks=({"type": "image"},)),
        lambda: Message(role="user", content="misspelt"),
        lambda: SessionMeta(session_id=""),
        lambda: Degraded(reasons=()),
        lambda: Down(reason=""),
        lambda: Healthy(reason="none"),
        lambda: ArchiveReceipt(session_id="s", archived=True, new_messages=-1),
        lambda: ArchiveReceipt(session_id="s", archived=True, number=0),
        lambda: SetupPrompt(key="Not A Key", question="?"),
        lambda: StartContext(pulse_root=Path("/r"), pulse_name="n", llm="gpt"),
    ],
)
def test_a_value_that_makes_no_sense_cannot_be_made(make):
    with pytest.raises(ValidationError):
        make()


def test_a_value_cannot_be_changed():
    message = Message(role="user")

    with pytest.raises(ValidationError, match="frozen"):
        message.id = "other"


@pytest.mark.parametrize("done", [{"archived": True, "reasons": ("why",)}, {"archived": False}])
def test_an_archive_receipt_has_reasons_exactly_when_nothing_was_archived(done):
    with pytest.raises(ValidationError, match="reasons"):
        ArchiveReceipt(session_id="s", **done)


@pytest.mark.parametrize("done", [{"saved": True, "reasons": ("why",)}, {"saved": False}])
def test_a_checkpoint_receipt_has_reasons_exactly_when_nothing_was_saved(done):
    with pytest.raises(ValidationError, match="reasons"):
        CheckpointReceipt(session_id="s", trigger="auto", **done)


@pytest.mark.parametrize(
    ("kind", "default"), [("text", 1), ("path", True), ("integer", True), ("integer", "1"), ("flag", 1), ("flag", "no")]
)
def test_the_default_of_a_prompt_is_of_the_kind_it_asks_for(kind, default):
    with pytest.raises(ValidationError, match="default of a prompt"):
        SetupPrompt(key="k", question="?", kind=kind, default=default)


def test_a_secret_has_no_default():
    with pytest.raises(ValidationError, match="a secret has no default"):
        SetupPrompt(key="k", question="?", secret=True, default="hunter2")


def test_a_start_context_shows_its_config_to_nobody():
    context = StartContext(pulse_root=Path("/r"), pulse_name="ada", config={"api_key": "hunter2"})

    assert context.config["api_key"] == "hunter2"
    assert "hunter2" not in repr(context) + str(context) + context.model_dump_json()


def test_a_start_context_has_an_absolute_root():
    with pytest.raises(ValidationError, match="absolute"):
        StartContext(pulse_root=Path("here"), pulse_name="ada")


def test_anything_that_completes_is_a_language_model():
    class Echo:
        def complete(self, system: str, prompt: str, max_tokens: int) -> str:
            return prompt[:max_tokens]

    context = StartContext(pulse_root=Path("/r"), pulse_name="ada", llm=Echo())

    assert isinstance(context.llm, LLMProvider)
    assert context.llm.complete("be brief", "hello", 4) == "hell"


@pytest.mark.parametrize(
    ("several", "expected"),
    [
        ((), Healthy()),
        ((Healthy(), Healthy()), Healthy()),
        ((Healthy(), Degraded(reasons=("a",)), Degraded(reasons=("b", "a"))), Degraded(reasons=("a", "b"))),
        ((Degraded(reasons=("a",)), Down(reason="b"), Healthy()), Down(reason="b; a")),
    ],
)
def test_the_worst_of_several_healths_gives_every_reason_once(several, expected):
    assert worst(*several) == expected


def test_the_worst_of_several_healths_takes_the_layers_it_is_given():
    layer = LayerHealth(name="graph", health=Down(reason="locked"))

    assert worst(Healthy(layers=(layer,)), layers=()).layers == ()
    assert worst(layer.health, layers=(layer,)) == Down(reason="locked", layers=(layer,))
