"""How a conversation is written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recall_plugin.domain import defaults
from recall_plugin.files.lock import DEFAULT_PATIENCE_SECONDS


@dataclass(frozen=True, slots=True)
class Policy:
    """How a conversation is written.

    redact: masks the secrets of a text.
    tool_text_limit: characters of a tool's output that are kept, at least 0.
    window: sessions in EPHEMERAL.md, 1 to 50.
    patience: seconds to wait for the folder's lock, at least 0.
    needs_lock: whether to give up when the wait was in vain. A hook does not: its session is archived all the same, and
        ARCHIVE.md and EPHEMERAL.md follow at the next start.
    """

    redact: Callable[[str], str]
    tool_text_limit: int = defaults.TOOL_TEXT_CHARS
    window: int = defaults.EPHEMERAL_ENTRIES
    patience: float = DEFAULT_PATIENCE_SECONDS
    needs_lock: bool = True
