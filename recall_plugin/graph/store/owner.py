"""One owner: exactly one process has the store open, proved by a lock that dies with its holder (law 9)."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

from recall_plugin.domain.instants import format_seconds
from recall_plugin.domain.layout import FILE_MODE
from recall_plugin.errors import StoreHeld, WriteFailed

_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 0.5


@contextlib.contextmanager
def owned(path: Path, patience: float) -> Iterator[None]:
    """This process, and no other, owns the store whose lock stands at `path`, until the end of the block.

    patience: seconds for which a held lock is tried again, in growing pauses; at least 0. It blocks, so that
    asynchronous callers call it in a thread.
    Raises StoreHeld, naming the holder's pid and since when; WriteFailed where the lock file cannot be opened.
    """
    descriptor = _open(path)
    try:
        _take(descriptor, path, patience)
        holder = {"pid": os.getpid(), "since": format_seconds(datetime.now(UTC)), "machine": socket.gethostname()}
        with contextlib.suppress(OSError):  # the lock holds without the name of its holder
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


@contextlib.asynccontextmanager
async def owning(path: Path, patience: float) -> AsyncIterator[None]:
    """As `owned`, for a loop: waiting can be cancelled at any moment."""
    started = time.monotonic()
    pause = _FIRST_PAUSE_SECONDS
    while True:
        ownership = owned(path, 0.0)
        try:
            ownership.__enter__()
            break
        except StoreHeld as held:
            waited = time.monotonic() - started
            if waited >= patience:
                raise StoreHeld(path.parent, waited, held.holder) from None
        await asyncio.sleep(min(pause, max(patience - waited, 0.001)))
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
    try:
        yield
    finally:
        ownership.__exit__(None, None, None)


def holder(path: Path) -> str:
    """Who holds the store, in words; empty where nobody does, or nobody can tell."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _named(descriptor)
    else:
        return ""
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    hint = "move it away, or make its folder writable for you"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, FILE_MODE)
    except OSError as error:
        raise WriteFailed(path, error.strerror or str(error), hint=hint) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise WriteFailed(path, "not a regular file", hint=hint)
    return descriptor


def _take(descriptor: int, path: Path, patience: float) -> None:
    started = time.monotonic()
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise WriteFailed.from_os_error(path, error) from error
        else:
            return
        waited = time.monotonic() - started
        if waited >= patience:
            raise StoreHeld(path.parent, waited, _named(descriptor))
        time.sleep(min(pause, max(patience - waited, 0.001)))
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def _named(descriptor: int) -> str:
    try:
        held = json.loads(os.pread(descriptor, 1024, 0))
        return f"process {held['pid']}, started at {held['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
