"""Where everything stands under a pulse root."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
LAST_NUMBER = 999_999_999  # of a conversation

_CONVERSATION_NAME = re.compile(r"conversation-(\d{3,9})\.md", re.ASCII)


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one pulse's memory. root: the pulse root, absolute."""

    root: Path

    @property
    def memory(self) -> Path:
        return self.root / "memory"

    @property
    def curated(self) -> Path:
        return self.memory / "MEMORY.md"

    @property
    def ephemeral(self) -> Path:
        return self.memory / "EPHEMERAL.md"

    @property
    def index(self) -> Path:
        return self.memory / "ARCHIVE.md"

    @property
    def conversations(self) -> Path:
        return self.memory / "conversations"

    @property
    def config(self) -> Path:
        return self.memory / ".recall-echo.toml"

    @property
    def lock(self) -> Path:
        return self.memory / ".lock"

    @property
    def journal(self) -> Path:
        return self.memory / "journal"

    @property
    def spool(self) -> Path:
        return self.journal / "spool"

    @property
    def journal_lock(self) -> Path:
        return self.journal / ".lock"

    @property
    def graph(self) -> Path:
        return self.memory / "graph"

    @property
    def store(self) -> Path:
        return self.graph / "surreal"

    @property
    def vectors(self) -> Path:
        return self.graph / "vectors"

    @property
    def models(self) -> Path:
        return self.graph / "models"

    @property
    def owner_lock(self) -> Path:
        return self.graph / "owner.lock"

    @property
    def graph_state(self) -> Path:
        return self.graph / "state.json"

    def conversation(self, number: int) -> Path:
        return self.conversations / conversation_name(number)


def conversation_name(number: int) -> str:
    """`conversation-007.md`; numbers past 999 simply grow wider."""
    return f"conversation-{number:03d}.md"


def conversation_number(name: str) -> int | None:
    """The number in a conversation file's name, or None for a file that is not one."""
    match = _CONVERSATION_NAME.fullmatch(name)
    if match is None:
        return None
    number = int(match.group(1))
    return number if conversation_name(number) == name else None
