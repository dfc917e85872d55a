"""What is said in a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue

from pulse_hookspecs.types.base import Instant, NonEmpty, Text, Value, mended


class TextBlock(Value):
    """Words: what the person typed, or what the model answered."""

    type: Literal["text"] = "text"
    text: Text


class ToolUseBlock(Value):
    """The model asks for a tool. Stands in a message of the assistant.

    id: names this use; the result refers to it. Empty where the agent numbers no tool uses.
    name: the tool, as the agent calls it.
    input: what the tool was asked, as JSON. NaN and the infinities, which JSON lacks, become null when it is written.
    """

    type: Literal["tool_use"] = "tool_use"
    id: Text = ""
    name: NonEmpty
    input: Annotated[Mapping[str, JsonValue], BeforeValidator(mended)] = Field(default_factory=dict)


class ToolResultBlock(Value):
    """What a tool printed. Stands in a message of the user, as in the usual chat protocols, though no person wrote it.

    tool_use_id: the `id` of the `ToolUseBlock` that this answers, which may stand in a message long gone.
    """

    type: Literal["tool_result"] = "tool_result"
    tool_use_id: Text = ""
    text: Text = ""
    is_error: bool = False


Block: TypeAlias = Annotated[TextBlock | ToolUseBlock | ToolResultBlock, Field(discriminator="type")]
"""One part of a message, told apart by `type`."""


class Message(Value):
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


class SessionMeta(Value):
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
