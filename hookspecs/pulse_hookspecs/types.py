"""The values that a host and its plugins exchange. Each is frozen: once made, it is right and stays as it is.

    Message ── blocks: TextBlock | ToolUseBlock | ToolResultBlock
    SessionMeta                        what is known of a session beside its messages
    TranscriptReading                  a session and its messages, read from a file
    ArchiveReceipt, CheckpointReceipt  what became of the messages
    Healthy | Degraded | Down          how a plugin fares, with its layers
    PluginMeta, Role, SetupPrompt      what a plugin says of itself before it is started
    StartContext, LLMProvider          what the host gives to a plugin when it starts

Every value but `TranscriptReading` is a pydantic model. An unknown field is refused, so a misspelling is found where it
is written. `model_dump_json` and `model_validate_json` are each other's inverse; a union is told apart by `type` (a
block) or `state` (a health). Text can always be written as UTF-8: half a surrogate pair, which foreign JSON and file
names bring along, becomes U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Protocol, Self, TypeAlias, runtime_checkable

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    model_validator,
)

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Value(BaseModel):
    """A frozen value that knows all its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _in_utc(instant: datetime) -> datetime:
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("the instant lies outside the years 1 to 9999 in UTC") from None


Instant: TypeAlias = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""An aware datetime in UTC. Another offset is converted; a datetime without one is refused: guessing it would lie."""


def _mended(value: object) -> object:
    """`value` with U+FFFD in place of every lone surrogate in its text, however deep; nothing else is changed."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mended(item) for item in value]
    return value


Text: TypeAlias = Annotated[str, BeforeValidator(_mended)]
"""Text that can be written as UTF-8."""

NonEmpty: TypeAlias = Annotated[str, BeforeValidator(_mended), Field(min_length=1)]
"""Text of at least one character."""

Count: TypeAlias = Annotated[int, Field(ge=0)]
"""A number of things, at least 0."""


# --- messages ---------------------------------------------------------------------------------------------------------


class TextBlock(_Value):
    """Words: what the person typed, or what the model answered."""

    type: Literal["text"] = "text"
    text: Text


class ToolUseBlock(_Value):
    """The model asks for a tool. Stands in a message of the assistant.

    id: names this use; the result refers to it. Empty where the agent numbers no tool uses.
    name: the tool, as the agent calls it.
    input: what the tool was asked, as JSON. NaN and the infinities, which JSON lacks, become null when it is written.
    """

    type: Literal["tool_use"] = "tool_use"
    id: Text = ""
    name: NonEmpty
    input: Annotated[Mapping[str, JsonValue], BeforeValidator(_mended)] = Field(default_factory=dict)


class ToolResultBlock(_Value):
    """What a tool printed. Stands in a message of the user, as in the usual chat protocols, though no person wrote it.

    tool_use_id: the `id` of the `ToolUseBlock` that this answers, which may stand in a message long gone.
    """

    type: Literal["tool_result"] = "tool_result"
    tool_use_id: Text = ""
    text: Text = ""
    is_error: bool = False


Block: TypeAlias = Annotated[TextBlock | ToolUseBlock | ToolResultBlock, Field(discriminator="type")]
"""One part of a message, told apart by `type`."""


class Message(_Value):
    """One turn of a session.

    id: the host's own name for this message, the same in every call and every process; unique within the session. By it
        a memory knows what it already has. Empty: the message is known by its place in the session, and the host gives
        the session's messages from the very first one in every call.
    role: whose turn it is. What a tool printed comes in a message of the user, as a `ToolResultBlock`.
    blocks: the parts, in order; none in a message that was left empty.
    time: when it was said; None where nobody knows.
    """

    id: Text = ""
    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...] = ()
    time: Instant | None = None

    @property
    def text(self) -> str:
        """The words of the message: its text blocks, joined by newlines, without any tool activity."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, TextBlock))


class SessionMeta(_Value):
    """What is known of a session beside its messages.

    session_id: the host's name for it, the same when the session is resumed. Any text: not safe as a file name.
    agent: the program that was talked to ("claude-code", "codex", a host's own name); empty where unknown.
    cwd: the working directory, as the host writes it; empty where unknown.
    started_at, ended_at: its first and last moment; `ended_at` is None while it goes on. None where nobody knows.
    title: what a person would call it; empty where it has none.
    """

    session_id: NonEmpty
    agent: Text = ""
    cwd: Text = ""
    started_at: Instant | None = None
    ended_at: Instant | None = None
    title: Text = ""


@dataclass(frozen=True, slots=True)
class TranscriptReading:
    """A session as it stands in a file: who it is, and a stream of what was said.

    session: known before the messages are read; what only the end of the file tells may be missing.
    messages: each message once, in the order of the session. The file is read as the stream is advanced, in bounded
        memory; it can be advanced once, and closing or dropping it closes the file.
    """

    session: SessionMeta
    messages: Iterator[Message]


# --- receipts ---------------------------------------------------------------------------------------------------------


class _Receipt(_Value):
    """What became of the messages that a memory was given.

    session_id: the session they belong to.
    archive: the file (or other place) that was written; None where nothing had to be written, or nothing could be.
    number: the number by which the memory calls what it wrote, at least 1; None where it counts nothing.
    new_messages: how many of the messages were kept now; already_known: how many it had from an earlier call. Counted as
        the memory keeps them: a tool's use and its result, which are two messages, may count as one.
    reasons: why they were not kept. Given exactly when they were not.
    notes: what the person may want to know although all went well.
    """

    session_id: NonEmpty
    archive: Text | None = None
    number: Annotated[int, Field(ge=1)] | None = None
    new_messages: Count = 0
    already_known: Count = 0
    reasons: tuple[NonEmpty, ...] = ()
    notes: tuple[NonEmpty, ...] = ()


class ArchiveReceipt(_Receipt):
    """What archiving a session came to.

    archived: whether the memory now holds every message it was given, from this call or an earlier one.
    """

    archived: bool

    @model_validator(mode="after")
    def _reasons_exactly_when_not_archived(self) -> Self:
        _refuse_unexplained(self.archived, self.reasons, "archived")
        return self


class CheckpointReceipt(_Receipt):
    """What a checkpoint came to.

    saved: whether the memory now holds every message it was given, from this call or an earlier one.
    trigger: the trigger it was called with.
    """

    saved: bool
    trigger: NonEmpty

    @model_validator(mode="after")
    def _reasons_exactly_when_not_saved(self) -> Self:
        _refuse_unexplained(self.saved, self.reasons, "saved")
        return self


def _refuse_unexplained(done: bool, reasons: tuple[str, ...], word: str) -> None:
    if done and reasons:
        raise ValueError(f"`reasons` say why nothing was {word}; what else there is to say goes into `notes`")
    if not done and not reasons:
        raise ValueError(f"a receipt that says {word}=False says why in `reasons`")


# --- health -----------------------------------------------------------------------------------------------------------


class Healthy(_Value):
    """All is well. In JSON: `{"state": "healthy", "layers": [...]}`."""

    state: Literal["healthy"] = "healthy"
    layers: tuple[LayerHealth, ...] = ()


class Degraded(_Value):
    """It works, but not all of it. In JSON: `{"state": "degraded", "reasons": ["..."], "layers": [...]}`.

    reasons: at least one; each names what is wrong, where, and what the person can do about it.
    """

    state: Literal["degraded"] = "degraded"
    reasons: Annotated[tuple[NonEmpty, ...], Field(min_length=1)]
    layers: tuple[LayerHealth, ...] = ()


class Down(_Value):
    """It does not do its work. In JSON: `{"state": "down", "reason": "...", "layers": [...]}`.

    reason: what is wrong, where, and what the person can do about it.
    """

    state: Literal["down"] = "down"
    reason: NonEmpty
    layers: tuple[LayerHealth, ...] = ()


Health: TypeAlias = Annotated[Healthy | Degraded | Down, Field(discriminator="state")]
"""How a plugin fares, told apart by its class, and in JSON by `state`. Use `match`."""


class LayerHealth(_Value):
    """How one layer of a plugin fares, so that a host can show each.

    name: what the plugin calls it ("archives", "MEMORY.md").
    detail: what the layer holds, in a few words ("214 sessions, newest 2 h ago"); empty where there is nothing to say.
    """

    name: NonEmpty
    health: Health
    detail: Text = ""


Healthy.model_rebuild()
Degraded.model_rebuild()
Down.model_rebuild()

HealthAdapter: TypeAdapter[Healthy | Degraded | Down] = TypeAdapter(Health)
"""Reads a health from JSON: `HealthAdapter.validate_json(text)`."""


def worst(*healths: Health, layers: tuple[LayerHealth, ...] = ()) -> Health:
    """One health as bad as the worst of `healths`, with every reason of all of them once, and with `layers`.

    The layers of the given healths are not taken over. Nothing at all is healthy.
    """
    down = [health.reason for health in healths if isinstance(health, Down)]
    degraded = [reason for health in healths if isinstance(health, Degraded) for reason in health.reasons]
    reasons = tuple(dict.fromkeys(down + degraded))
    if down:
        return Down(reason="; ".join(reasons), layers=layers)
    if degraded:
        return Degraded(reasons=reasons, layers=layers)
    return Healthy(layers=layers)


# --- what a plugin says of itself -------------------------------------------------------------------------------------


class Role(StrEnum):
    """What a plugin is to its host. The Memory role is filled by exactly one plugin, the others by any number."""

    MEMORY = "memory"
    TOOL = "tool"
    CHANNEL = "channel"


class PluginMeta(_Value):
    """Who a plugin is.

    name: what a person calls it. (Hosts file it under the name of its entry point, which is usually the same.)
    version: its version, as its distribution has it.
    role: what it is to its host.
    description: one sentence; may be empty.
    """

    name: NonEmpty
    version: NonEmpty
    role: Role
    description: Text = ""


class SetupPrompt(_Value):
    """One question that a host asks when a pulse is set up.

    key: under which the answer comes back in `StartContext.config`. The key `pulse_root` is shared by all plugins: it
        is asked once, and its answer comes back as `StartContext.pulse_root`. Leave its default to the host, which
        offers the folder that is being set up.
    question: what the person reads; one line, without the default.
    required: whether the plugin cannot do without an answer. A question that is not required may be left empty; its key
        is then absent from the config.
    secret: whether the answer must not be shown, now or later. A secret has no default.
    default: the answer of a person who just presses enter; of the type that `kind` says, or None.
    kind: what a right answer is:
        "text"     one line of text (str)
        "path"     a file or folder; comes back absolute, with `~` resolved (str)
        "integer"  a whole number (int)
        "flag"     yes or no (bool)
    """

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    question: NonEmpty
    required: bool = True
    secret: bool = False
    default: str | int | bool | None = None
    kind: Literal["text", "path", "integer", "flag"] = "text"

    @model_validator(mode="after")
    def _default_fits(self) -> Self:
        if self.default is None:
            return self
        if self.secret:
            raise ValueError(f"{self.key}: a secret has no default")
        expected = {"text": str, "path": str, "integer": int, "flag": bool}[self.kind]
        if type(self.default) is not expected:
            raise ValueError(
                f"{self.key}: the default of a prompt of kind {self.kind!r} is of type {expected.__name__}"
            )
        return self


# --- what the host gives ----------------------------------------------------------------------------------------------


@runtime_checkable
class LLMProvider(Protocol):
    """A language model that the host lends to its plugins."""

    def complete(self, system: str, prompt: str, max_tokens: int) -> str:
        """What the model answers to `prompt` under the instructions `system`.

        max_tokens: the greatest length of the answer in the model's tokens, at least 1.
        Blocks until the answer is whole, which may take minutes; safe to call from any thread. Raises whatever the
        provider raises: a plugin that calls it expects any `Exception`.
        """
        ...


class StartContext(_Value):
    """What a plugin needs to know to start.

    pulse_root: the home of this agent: absolute, a folder that exists. Everything the plugin keeps belongs under it.
    pulse_name: what the person calls this pulse.
    config: the plugin's own section of the host's config: the answers to its prompts and whatever else the person wrote
        there, as plain TOML or JSON values. May hold secrets, so neither `repr` nor JSON shows it.
    llm: a language model that the plugin may use; None where the host lends none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    pulse_root: Path
    pulse_name: NonEmpty
    config: Mapping[str, object] = Field(default_factory=dict, repr=False, exclude=True)
    llm: LLMProvider | None = Field(default=None, repr=False, exclude=True)

    @model_validator(mode="after")
    def _root_is_absolute(self) -> Self:
        if not self.pulse_root.is_absolute():
            raise ValueError(f"pulse_root must be absolute, not {str(self.pulse_root)!r}")
        return self
