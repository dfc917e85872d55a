"""What waits beside the journal for whoever gets its lock next: one small file an append.

The id in its name goes into the journal with its events, so that a file which was taken over but not yet removed is
recognised.
"""

from __future__ import annotations

import itertools
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from recall_plugin.domain.instants import format_instant, parse_instant
from recall_plugin.errors import EventRefused, LayoutError
from recall_plugin.files.atomic import write_atomic
from recall_plugin.files.journal.entry import encode_event
from recall_plugin.files.journal.segments import open_segment

LARGEST_FILE = 16 << 20  # bytes

_NAME = re.compile(r"\d{8}T\d{12}-\d{6,}-([0-9a-f]{16})\.json", re.ASCII)
_UNREADABLE = ".unreadable"
_turns = itertools.count()  # what one process writes within a microsecond keeps its order


@dataclass(frozen=True, slots=True)
class Spooled:
    """The content of one spool file. at: when it was written; events: as from `encode_event`, at least one."""

    at: str
    events: tuple[bytes, ...]


def write(folder: Path, events: Sequence[Mapping[str, object]], now: datetime) -> Path:
    """A new file of `folder` holds the events, on the disk, whole. Waits for nobody.

    Raises EventRefused, for more than 16 MiB in all too; WriteFailed.
    """
    spool_id = secrets.token_hex(8)
    bodies = [encode_event(event) for event in events]
    head = f'{{"at":"{format_instant(now)}","events":[{{'.encode()
    data = head + b"},{".join(bodies) + b"}]}\n"
    if len(data) > LARGEST_FILE:
        raise EventRefused(str(events[0].get("kind")), f"it and what goes with it have more than {LARGEST_FILE} bytes")
    path = folder / f"{now.astimezone(UTC):%Y%m%dT%H%M%S%f}-{next(_turns):06d}-{spool_id}.json"
    write_atomic(path, data)
    return path


def waiting(folder: Path) -> list[Path]:
    """The files that wait, in the order of their names, which is that of their times. Raises LayoutError."""
    return [folder / name for name in sorted(_names(folder)) if _NAME.fullmatch(name)]


def id_of(path: Path) -> str:
    """The id of a spool file, from its name."""
    match = _NAME.fullmatch(path.name)
    return match.group(1) if match else ""


def set_aside(folder: Path) -> list[Path]:
    """The files that were found unreadable and stand aside. Raises LayoutError."""
    return [folder / name for name in sorted(_names(folder)) if name.endswith(_UNREADABLE)]


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LayoutError(folder, f"cannot be read: {error.strerror}") from error


def read(path: Path) -> Spooled:
    """What a spool file holds. Raises LayoutError, naming what is wrong with it, where it is none."""
    with open_segment(path) as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise LayoutError(path, f"larger than {LARGEST_FILE} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise LayoutError(path, "not JSON") from None
    if not isinstance(value, dict):
        raise LayoutError(path, "no JSON object")
    at, events = value.get("at"), value.get("events")
    instant = parse_instant(at) if isinstance(at, str) else None
    if instant is None:
        raise LayoutError(path, "it has no time")
    if not isinstance(events, list) or not events or not all(isinstance(event, dict) for event in events):
        raise LayoutError(path, "it has no events")
    try:
        return Spooled(format_instant(instant), tuple(encode_event(event) for event in events))
    except EventRefused as error:
        raise LayoutError(path, error.message) from None


def put_aside(path: Path) -> Path:
    """An unreadable spool file is out of the way, its bytes untouched; where it is now. Raises OSError."""
    aside = path.with_name(path.name + _UNREADABLE)
    path.rename(aside)
    return aside
