"""EPHEMERAL.md: the latest sessions' summaries, first in first out, put in front of the next session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recall_plugin.domain.layout import Layout
from recall_plugin.files.archive_format import Head
from recall_plugin.files.atomic import read_file, write_atomic
from recall_plugin.files.sealed import seal, unseal
from recall_plugin.files.sessions import SessionRow

_TITLE = """# Recent sessions

The latest sessions, oldest first. recall makes this file from `conversations/`; what is changed here by hand is lost.
"""
_ENTRY = "\n## "
_MOST_FILES = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """A session and the head of its latest archive, whose digest covers the session so far."""

    row: SessionRow
    head: Head


def render(entries: list[Entry]) -> bytes:
    """The whole file, sealed; `entries` oldest first."""
    return seal(_TITLE + "".join(map(render_entry, entries)))


def render_entry(entry: Entry) -> str:
    """One session: when, which, its summary, and what it decided, left open and touched. Every value on one line."""
    row, digest = entry.row, entry.head.digest
    where = ", ".join(part for part in (row.project, row.agent) if part)
    title = f"{_when(row.date)} · conversation {row.parts[-1]:03d}" + (f" · {where}" if where else "")
    lines = [f"{_ENTRY}{_one_line(title)}", "", _one_line(digest.summary) or "(nothing to summarise)"]
    details = (
        ("Decisions", " · ".join(digest.decisions)),
        ("Action items", " · ".join(digest.action_items)),
        ("Files", _files(digest.files)),
    )
    given = [f"- {name}: {_one_line(text)}" for name, text in details if text]
    return "\n".join([*lines, *([""] if given else []), *given]) + "\n"


def read(layout: Layout) -> str | None:
    """The text on disk without its seal; None where the file is missing, cut or altered. Raises LayoutError."""
    data = read_file(layout.ephemeral)
    return unseal(data) if data is not None else None


def entries_of(text: str) -> list[str]:
    """The entries of the file's text, oldest first, each with its heading."""
    return [f"## {entry}" for entry in text.split(_ENTRY)[1:]]


def write(layout: Layout, entries: list[Entry]) -> None:
    """The file holds exactly `entries`. Raises WriteFailed, and then it holds what it did before."""
    write_atomic(layout.ephemeral, render(entries))


def _when(date: datetime | None) -> str:
    return date.strftime("%Y-%m-%d %H:%M UTC") if date else "undated"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _files(files: tuple[str, ...]) -> str:
    shown = ", ".join(files[:_MOST_FILES])
    return f"{shown} and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else shown
