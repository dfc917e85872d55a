"""What Claude Code tells a hook on stdin.

Documented at https://code.claude.com/docs/en/hooks (read 2026-08-31, Claude Code 2.1.251). Every event
sends session_id, transcript_path, cwd and hook_event_name; SessionEnd adds reason, PreCompact and PostCompact add
trigger. Other agents that speak the same protocol leave some out. Nothing else of a payload is read here.

This module runs at every event of a session, so it imports only what it cannot do without.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.errors import UsageError

_HINT = "an agent's hook sends this on stdin; by hand, name a transcript instead: recall archive FILE"


@dataclass(frozen=True, slots=True)
class HookPayload:
    """One event of a session. A text that the agent did not send is empty."""

    session_id: str
    transcript_path: Path | None
    cwd: str
    event: str
    reason: str
    trigger: str


def parse_payload(data: bytes) -> HookPayload:
    """The event that `data` describes. Keys that are unknown, missing or null are no fault.

    Raises UsageError, naming what is wrong, for anything but one JSON object whose known keys hold text.
    """
    fields = _object(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    return HookPayload(
        session_id=_text(fields, "session_id"),
        transcript_path=_path(_text(fields, "transcript_path")),
        cwd=_text(fields, "cwd"),
        event=_text(fields, "hook_event_name"),
        reason=_text(fields, "reason"),
        trigger=_text(fields, "trigger"),
    )


def _object(text: str) -> dict[str, object]:
    if not text.strip():
        raise UsageError("the hook payload is empty", hint=_HINT)
    try:
        # Integers become floats: Python refuses to read one of more than 4300 digits, and no known key is a number.
        value = json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"the hook payload is not JSON: {error.msg} ({place})", hint=_HINT) from error
    except RecursionError as error:
        raise UsageError("the hook payload is nested too deeply", hint=_HINT) from error
    if not isinstance(value, dict):
        raise UsageError(f"the hook payload is a JSON {_kind(value)}, not an object", hint=_HINT)
    return value


def _text(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"the hook payload's {key} is a JSON {_kind(value)}, not a string", hint=_HINT)
    # JSON can spell half a surrogate pair, which no file name and no output stream can hold.
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _path(text: str) -> Path | None:
    if not text:
        return None
    if "\0" in text:
        raise UsageError("the hook payload's transcript_path holds a NUL, which no path can", hint=_HINT)
    try:
        return Path(text).expanduser()
    except RuntimeError:  # `~stranger`: there is no such home
        return Path(text)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds: dict[type, str] = {bool: "boolean", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")
