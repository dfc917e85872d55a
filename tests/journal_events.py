"""What the tests of the journal write into it, and how they look at it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal import Entry, Journal

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
NOVEMBER = "2026-11.jsonl"


def event(name: object, **fields: object) -> dict[str, object]:
    """An event that is told from others by its name."""
    return {"kind": "noted", "v": 1, "name": name, **fields}


def names(entries: Iterable[Entry]) -> list[Any]:
    """The names of events, in order; None for a blank."""
    return [entry.fields.get("name") for entry in entries]


def kept(layout: Layout) -> list[Any]:
    """The names of all events of a journal."""
    return names(Journal(layout).read())


def files(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, by its path there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
