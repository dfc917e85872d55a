"""Builds small Claude Code transcripts for tests, in the shape that 2.1.262 writes."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recall_adapters.claude_code import ClaudeTranscript
from recall_plugin.domain.conversation import Role, Turn

SESSION = "7c1f6a52-0b3e-4d7a-9c55-2f1e8b6d4a01"
START = datetime(2026, 11, 28, 9, tzinfo=UTC)

Fields = dict[str, Any]


def uid(name: str) -> str:
    """The uuid of a record that a test knows by a name."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def stamp(minute: float) -> str:
    """A time, so many minutes after the session began."""
    return (START + timedelta(minutes=minute)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def user(content: object, name: str = "u", minute: float = 0, **more: object) -> Fields:
    """A user record."""
    return _record("user", {"role": "user", "content": content}, name, minute, more)


def agent(content: object, name: str = "a", minute: float = 0, **more: object) -> Fields:
    """An assistant record; a string becomes a text block."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return _record(
        "assistant", {"role": "assistant", "model": "claude-opus-4-8", "content": blocks}, name, minute, more
    )


def asks(tool: object, asked: object, id_: object = "toolu_1", **more: Any) -> Fields:
    """An assistant record that uses a tool."""
    return agent([{"type": "tool_use", "id": id_, "name": tool, "input": asked}], name=f"asks {id_!r}", **more)


def answers(content: object, id_: object = "toolu_1", *, error: bool = False, **more: Any) -> Fields:
    """A user record that holds a tool's result."""
    block = {"type": "tool_result", "tool_use_id": id_, "content": content} | ({"is_error": True} if error else {})
    return user([block], name=f"answers {id_!r}", **more)


def queued(prompt: object, name: str = "q", minute: float = 0, mode: object = "prompt", **more: object) -> Fields:
    """An attachment: words typed while the agent worked."""
    record = _record("attachment", None, name, minute, {})
    return record | {"attachment": {"type": "queued_command", "prompt": prompt, "commandMode": mode} | more}


def queue(operation: str, content: object = None, minute: float = 0) -> Fields:
    """A queue operation, without content where that is None."""
    record: Fields = {"type": "queue-operation", "operation": operation, "timestamp": stamp(minute)}
    return record if content is None else record | {"content": content}


def write(path: Path, *records: object) -> Path:
    """A file of those records, one JSON value a line; bytes are taken as a line as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def read(path: Path, *records: object, **options: Any) -> tuple[list[Turn], ClaudeTranscript]:
    """The turns of a session's file in the folder `path`, and the transcript with its report."""
    transcript = ClaudeTranscript(write(path / f"{SESSION}.jsonl", *records), **options)
    return list(transcript.turns()), transcript


def said(turns: list[Turn], role: Role = Role.USER) -> list[str]:
    """What was said by one role."""
    return [turn.text for turn in turns if turn.role is role]


def _record(kind: str, message: object, name: str, minute: float, more: Fields) -> Fields:
    record: Fields = {
        "parentUuid": None,
        "isSidechain": False,
        "type": kind,
        "uuid": uid(name),
        "timestamp": stamp(minute),
        "cwd": "/home/dev/tidepool",
        "sessionId": SESSION,
    }
    return record | ({} if message is None else {"message": message}) | more
