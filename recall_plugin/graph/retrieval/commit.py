"""The commit record: how much of which file counts, under a checksum of its own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from recall_plugin.domain.layout import FILE_MODE
from recall_plugin.errors import WriteFailed

COMMIT = "commit.json"
# Raised when the files' form or the rules of terms change: older caches are then stale.
FORMAT = 1


class Stale(Exception):
    """A file of the cache is missing, torn, foreign, altered, or of another store; the cache is made again."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The part of a file that counts: its first `size` bytes, whose CRC-32 is `checksum`."""

    name: str
    size: int = 0
    checksum: int = 0


@dataclass(frozen=True, slots=True)
class Commit:
    """What the cache consists of. epoch: the store's; runs: oldest first; projects: by number, "" the first."""

    epoch: int
    passages: Extent
    dead: Extent
    runs: tuple[Extent, ...] = ()
    projects: tuple[str, ...] = field(default=("",))

    def names(self) -> frozenset[str]:
        """The files that it refers to."""
        return frozenset(each.name for each in (self.passages, self.dead, *self.runs))


def read_commit(folder: Path) -> Commit:
    """The commit record of `folder`. Raises Stale where there is none that can be believed."""
    try:
        # A fifo in its place would block for ever otherwise.
        with os.fdopen(os.open(folder / COMMIT, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            text = file.read()
    except OSError as error:
        raise Stale(f"{COMMIT}: {error.strerror}") from error
    checksum, _, body = text.partition(b"\n")
    if checksum != _checksum(body):
        raise Stale(f"{COMMIT}: torn or altered")
    try:
        value = json.loads(body)
        if value.pop("format") != FORMAT:
            raise Stale(f"{COMMIT}: another format")
        return Commit(
            epoch=int(value["epoch"]),
            passages=_extent(value["passages"]),
            dead=_extent(value["dead"]),
            runs=tuple(map(_extent, value["runs"])),
            projects=tuple(map(str, value["projects"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Stale(f"{COMMIT}: not understood: {error}") from error


def write_commit(folder: Path, commit: Commit) -> None:
    """The record stands on the disk in place of the last one, wholly or not at all. Raises WriteFailed."""
    body = json.dumps({"format": FORMAT, **asdict(commit)}, separators=(",", ":")).encode()
    path = folder / COMMIT
    staged = folder / f".tmp-{os.getpid()}-{secrets.token_hex(8)}"
    try:
        try:
            write_new(staged, _checksum(body) + b"\n" + body)
            staged.replace(path)
            sync_folder(folder)
        finally:
            with contextlib.suppress(OSError):
                staged.unlink(missing_ok=True)
    except OSError as error:
        raise WriteFailed.from_os_error(path, error) from error


def write_new(path: Path, *parts: Any) -> None:
    """A new file consists of `parts`, each a buffer, on the disk. Raises OSError."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE), "wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """The folder's names are on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _extent(value: dict[str, Any]) -> Extent:
    extent = Extent(str(value["name"]), int(value["size"]), int(value["checksum"]))
    if Path(extent.name).name != extent.name or extent.size < 0:
        raise ValueError(f"no file of ours: {extent.name!r}")
    return extent


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)
