"""Between the contract's messages and our turns.

A turn of a tool becomes two messages, the use and the result, and becomes the same turn again when a host gives them
back; so a session that a host replays and one that is archived from its transcript are known to be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pulse_hookspecs import Message, SessionMeta, TextBlock, ToolResultBlock, ToolUseBlock
from recall_adapters.claude_tools import tool_activity
from recall_plugin.domain.conversation import Conversation, Role, Session, ToolActivity, Turn, clean_text

# What `read_transcript` gives as a tool's input; a host's own tools have other fields.
_OURS = {"input", "paths", "writes"}


def messages_of(turns: Iterable[Turn]) -> Iterator[Message]:
    """The turns as messages, streaming."""
    for turn in turns:
        if turn.tool is None:
            role = "user" if turn.role is Role.USER else "assistant"
            yield Message(id=turn.id, role=role, blocks=(TextBlock(text=turn.text),), time=turn.time)
            continue
        asked: dict[str, object] = {
            "input": turn.tool.input,
            "paths": list(turn.tool.paths),
            "writes": turn.tool.writes,
        }
        use = ToolUseBlock(id=turn.id, name=turn.tool.name, input=asked)
        yield Message(id=_part(turn.id, "use"), role="assistant", blocks=(use,), time=turn.time)
        result = ToolResultBlock(tool_use_id=turn.id, text=turn.text, is_error=turn.tool.error)
        yield Message(id=_part(turn.id, "result"), role="user", blocks=(result,), time=turn.time)


def conversation_of(session: SessionMeta, messages: Iterable[Message]) -> Conversation:
    """The messages as turns: one for the words of each message, and one for each tool that was used, with its result.

    A result whose use is not among the messages (it came before a compaction) is a turn of an unknown tool; a use
    without a result is a turn without text.
    """
    given = Session(clean_text(session.session_id), clean_text(session.agent), clean_text(session.cwd))
    turns: list[Turn] = []
    waiting: dict[str, int] = {}
    seen: dict[str, Message] = {}
    for message in messages:
        first = seen.setdefault(message.id, message)
        if message.id and first is not message and first == message:
            continue  # given twice; one id for two different things is two turns
        if words := clean_text(message.text).strip():
            turns.append(Turn(message.id, Role(message.role), words, message.time))
        for position, block in enumerate(message.blocks):
            if isinstance(block, ToolUseBlock):
                activity = _activity(block)
                waiting[block.id] = len(turns)
                turn_id = f"{block.id}~" if block.id else _part(message.id, f"tool-{position}")
                turns.append(Turn(turn_id, Role.TOOL, "", message.time, activity))
            elif isinstance(block, ToolResultBlock):
                _answer(turns, waiting, message, block, position)
    return Conversation(given, tuple(turns))


def _answer(
    turns: list[Turn], waiting: dict[str, int], message: Message, block: ToolResultBlock, position: int
) -> None:
    """The result goes to its use, wherever that stands among the turns."""
    text = clean_text(block.text).strip("\n")
    place = waiting.pop(block.tool_use_id, None)
    if place is None:
        turn_id = block.tool_use_id or _part(message.id, f"tool-{position}")
        turns.append(Turn(turn_id, Role.TOOL, text, message.time, ToolActivity("unknown", error=block.is_error)))
        return
    asked = turns[place]
    tool = asked.tool or ToolActivity("unknown")
    answered = ToolActivity(tool.name, tool.input, tool.paths, tool.writes, block.is_error)
    turns[place] = Turn(block.tool_use_id or asked.id, Role.TOOL, text, message.time or asked.time, answered)


def _activity(block: ToolUseBlock) -> ToolActivity:
    asked: Mapping[str, object] = block.input
    paths = asked.get("paths")
    if asked.keys() == _OURS and isinstance(paths, list):
        return ToolActivity(
            clean_text(block.name),
            clean_text(str(asked["input"])),
            tuple(clean_text(path) for path in paths if isinstance(path, str)),
            writes=asked["writes"] is True,
        )
    return tool_activity(block.name, dict(asked))


def _part(message_id: str, part: str) -> str:
    """An id for a part of a message; none where the message has none, and is known by its place."""
    return f"{message_id}/{part}" if message_id else ""


def session_meta(session: Session, title: str = "") -> SessionMeta:
    """What is known of a transcript's session, for the contract."""
    return SessionMeta(session_id=session.id, agent=session.agent, cwd=session.cwd, title=title)
