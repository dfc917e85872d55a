"""One writer at a time for the layers of a memory folder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from recall_plugin.domain.layout import FILE_MODE
from recall_plugin.errors import Busy, WriteFailed

DEFAULT_PATIENCE_SECONDS = 10.0
_POLL_SECONDS = 0.01
_HINT = "move it away, or make it writable for you: it is made again where it can be"


@contextlib.contextmanager
def folder_lock(path: Path, patience: float = DEFAULT_PATIENCE_SECONDS) -> Iterator[None]:
    """Nobody else, in this process or another, holds the lock at `path` meanwhile.

    patience: seconds to wait, at least 0. The lock dies with its holder, so a killed process leaves nothing to clean.
    Raises Busy, naming the holder's pid, when the wait was in vain; WriteFailed where the lock file cannot be opened.
    """
    started = time.monotonic()
    try:
        # A link could lead to a file of somebody's, which must not be written into.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, FILE_MODE)
    except OSError as error:
        raise WriteFailed(path, error.strerror or str(error), hint=_HINT) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise WriteFailed(path, "not a regular file", hint=_HINT)
        while not _try_lock(descriptor, path):
            waited = time.monotonic() - started
            if waited >= patience:
                raise Busy(path.parent, waited, _holder(descriptor))
            time.sleep(_POLL_SECONDS)
        with contextlib.suppress(OSError):  # a full disk must not stop who holds the lock: the name is a courtesy
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"pid {os.getpid()}".encode(), 0)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)  # who comes next must not be blamed on us
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return False
        raise WriteFailed.from_os_error(path, error) from error
    return True


def _holder(descriptor: int) -> str:
    with contextlib.suppress(OSError):
        return os.pread(descriptor, 64, 0).decode("ascii", "replace").strip()
    return ""
