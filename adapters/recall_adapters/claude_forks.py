"""Which records of a Claude Code transcript were copied from another one.

A fork (`/branch`, `--fork-session`, a background copy, "resume as fork") is a new file in the same folder that begins
with the parent's records under their old uuids and times. Some versions mark each copy with `forkedFrom`, some rewrite
its sessionId, some do neither (https://github.com/anthropics/claude-code/issues/60845, 2026-05-20, and
https://github.com/langfuse/claude-observability-plugin/pull/81, 2026-09-02). So the uuids decide: what stands in an
elder transcript too is inherited.

Elder is an order: of two files that share records exactly one is the elder, whichever of them is being read.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from recall_adapters.claude_records import Record, read_records
from recall_adapters.claude_speech import persons_words
from recall_plugin.domain.instants import parse_instant

# A copy is looked for by the first messages of the younger file: not by the very first alone, which may belong to the
# command that made the fork.
_MESSAGES_LOOKED_AT = 12
_TIMES_LOOKED_AT = 8
_HEAD = 4 * 1024 * 1024
_CLOCK_SLACK = 3600.0  # seconds between a file system's clock and the vendor's
_CHUNK = 1024 * 1024
_OVERLAP = 512  # longer than any id with its key
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Elder:
    """An older transcript of the same folder. Of each of its records: whether it says itself that it is a copy."""

    session_id: str
    copied: dict[str, bool]

    def holds(self, id_: str) -> bool:
        """Whether the record stands in this transcript, copied or not."""
        return id_ in self.copied

    def owns(self, id_: str) -> bool:
        """Whether the record stands here as one of this transcript's own; then whoever copied it has it from here."""
        return self.copied.get(id_, True) is False


@dataclass(slots=True)
class _Head:
    """What the beginning of a file tells: its earliest time, and its first messages with theirs."""

    start: datetime = _NEVER
    messages: list[tuple[str, datetime]] = field(default_factory=list)


def find_elders(path: Path) -> list[Elder]:
    """The transcripts beside `path` that are its elders and share records with it. A sibling that fails is none."""
    try:
        siblings = list(_siblings(path))
        mine = _head(path, messages=_MESSAGES_LOOKED_AT) if siblings else _Head()
    except OSError:
        return []
    if not mine.messages:
        return []
    # Whoever holds a record has been written to since its time. In a folder of finished sessions this leaves nobody.
    oldest = min(time for _, time in mine.messages)
    since = (oldest.timestamp() if oldest < _NEVER else 0.0) - _CLOCK_SLACK
    elders = []
    for sibling, written in siblings:
        if written < since:
            continue
        try:
            elder = _elder(path, mine, sibling)
        except OSError:
            continue
        if elder is not None:
            elders.append(elder)
    return elders


def record_id(record: Record) -> str:
    """The id under which a record is known in every copy: its uuid, or one made for words taken out of the queue."""
    uuid = usable_id(record.fields.get("uuid"))
    if uuid or record.kind != "queue-operation" or record.fields.get("operation") != "remove":
        return uuid
    time, words = record.fields.get("timestamp"), persons_words(record.fields.get("content"))
    if not isinstance(time, str) or not words:
        return ""
    return "queued-" + hashlib.sha256(f"{time}\n{words}".encode("utf-8", "replace")).hexdigest()[:32]


def usable_id(value: object) -> str:
    """`value` where it can serve as an id: text of one line without anything invisible, not too long."""
    return value if isinstance(value, str) and len(value) <= 256 and value.isprintable() else ""


def forked_from(fields: dict[str, object], session_id: str) -> str:
    """The session that a record says it was copied from; empty where it names none, or its own."""
    origin = fields.get("forkedFrom")
    parent = usable_id(origin.get("sessionId")) if isinstance(origin, dict) else ""
    return "" if parent == session_id else parent


def _siblings(path: Path) -> Iterator[tuple[Path, float]]:
    """The other transcripts of the folder, and when they were last written. Not what merely names the same file."""
    own = path.stat()
    with os.scandir(path.parent) as entries:
        for entry in entries:
            if not entry.name.endswith(".jsonl") or entry.name.startswith("agent-"):
                continue
            try:
                status = entry.stat()
            except OSError:
                continue
            same = (status.st_dev, status.st_ino) == (own.st_dev, own.st_ino)
            if stat.S_ISREG(status.st_mode) and not same:  # opening a pipe would block
                yield path.parent / entry.name, status.st_mtime


def _head(path: Path, *, messages: int = 0) -> _Head:
    head = _Head()
    times = 0
    with path.open("rb", buffering=_CHUNK // 16) as file:
        for record in read_records(file):
            time = parse_instant(record.fields.get("timestamp"))
            if time and times < _TIMES_LOOKED_AT:
                head.start = min(head.start, time)
                times += 1
            wanted = len(head.messages) < messages and record.kind in ("user", "assistant")
            if wanted and (uuid := usable_id(record.fields.get("uuid"))):
                head.messages.append((uuid, time or _NEVER))
            enough = times >= _TIMES_LOOKED_AT and len(head.messages) >= messages
            if enough or record.offset > _HEAD:
                break
    return head


def _elder(path: Path, mine: _Head, sibling: Path) -> Elder | None:
    start = _head(sibling).start
    messages = [uuid for uuid, _ in mine.messages]
    if start > mine.start or not _may_hold(sibling, messages):
        return None
    theirs = _ids(sibling)
    if not any(uuid in theirs for uuid in messages):
        return None
    if start == mine.start:
        own = _ids(path)
        if (*_first_unshared(own, theirs), path.name) < (*_first_unshared(theirs, own), sibling.name):
            return None
    return Elder(sibling.stem, {id_: copied for id_, (_, copied) in theirs.items()})


def _may_hold(path: Path, uuids: list[str]) -> bool:
    """Whether the file has one of the uuids somewhere, if only inside a record."""
    wanted = re.compile(rb'"uuid"\s*:\s*"(?:%s)"' % b"|".join(re.escape(uuid.encode()) for uuid in uuids))
    rest = b""
    # In pieces: a mapping of the file would take the program down with it when another one cuts the file short.
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_CHUNK):
            window = rest + piece
            if wanted.search(window):
                return True
            rest = window[-_OVERLAP:]
    return False


def _ids(path: Path) -> dict[str, tuple[datetime, bool]]:
    """The ids of a file's records in order, each with its time and whether it says that it is a copy."""
    ids: dict[str, tuple[datetime, bool]] = {}
    with path.open("rb", buffering=_CHUNK) as file:
        for record in read_records(file):
            if id_ := record_id(record):
                time = parse_instant(record.fields.get("timestamp")) or _NEVER
                ids.setdefault(id_, (time, bool(forked_from(record.fields, path.stem))))
    return ids


def _first_unshared(
    ids: dict[str, tuple[datetime, bool]], others: dict[str, tuple[datetime, bool]]
) -> tuple[datetime, str]:
    """Where a file first goes its own way. One that never does is the eldest: it ends where the other goes on.

    The id stands beside the time so that three files with one time do not each have another for an elder.
    """
    for id_, (time, _) in ids.items():
        if id_ not in others:
            return time, id_
    return datetime.min.replace(tzinfo=UTC), ""
