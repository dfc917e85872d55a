"""Writes that happen wholly or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from recall_plugin.domain.layout import FILE_MODE, FOLDER_MODE
from recall_plugin.errors import LayoutError, WriteFailed

_TEMPORARY_PREFIX = ".tmp-"
# No write of ours takes an hour; and one whose process is gone is nobody's after a minute (not at once, because two
# machines may share the folder).
_ABANDONED_AFTER_SECONDS = 3600.0
_ORPHANED_AFTER_SECONDS = 60.0
# What file systems without hard links answer.
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def make_folder(path: Path) -> None:
    """`path` is a folder that only its owner can enter; one that stood there before keeps its mode."""
    try:
        path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except FileExistsError:
        raise LayoutError(path, "a file stands where a folder should be", hint="move it away and try again") from None
    except OSError as error:
        raise WriteFailed.from_os_error(path, error) from error


class Staged:
    """A file being written beside its destination, invisible until it is published under a name."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{_TEMPORARY_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        self.file: BinaryIO = os.fdopen(descriptor, "w+b", buffering=1 << 16)

    def replace(self, path: Path) -> None:
        """What was written stands at `path`, in place of whatever file stood there."""
        self._sync()
        self._path.replace(path)
        sync_folder(path.parent)

    def claim(self, path: Path) -> bool:
        """What was written stands at `path`, where nothing stood; False, with nothing changed, where something did.

        Atomic among processes: of several callers exactly one gets True.
        """
        self._sync()
        taken = _take_name(self._path, path)
        sync_folder(path.parent)
        return taken

    def discard(self) -> None:
        """Nothing is left but what was published."""
        with contextlib.suppress(OSError):  # a full disk refuses the last buffer once more; it is not wanted any more
            self.file.close()
        self._path.unlink(missing_ok=True)

    def _sync(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())


@contextlib.contextmanager
def staged(folder: Path, *, destination: Path) -> Iterator[Staged]:
    """A `Staged` file of `folder`, discarded at the end. A disk error inside becomes WriteFailed of `destination`."""
    try:
        stage = Staged(folder)
        try:
            yield stage
        finally:
            stage.discard()
    except OSError as error:
        raise WriteFailed.from_os_error(destination, error) from error


def write_atomic(path: Path, data: bytes) -> None:
    """`path` holds exactly `data`, on the disk, and held what it held before until that moment.

    Raises WriteFailed, and then nothing has changed.
    """
    with staged(path.parent, destination=path) as stage:
        stage.file.write(data)
        stage.replace(path)


def _take_name(temporary_path: Path, path: Path) -> bool:
    try:
        os.link(temporary_path, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _take_name_without_links(temporary_path, path)
    return True


def _take_name_without_links(temporary_path: Path, path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))
    except FileExistsError:
        return False
    temporary_path.replace(path)
    return True


def sync_folder(folder: Path) -> None:
    """The names in `folder` are on the disk, where the file system can promise that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some network file systems cannot sync a folder
            raise
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path) -> int:
    """No temporary file of a killed process is left in `folder`; how many there were."""
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_TEMPORARY_PREFIX) and _is_abandoned(entry):
                Path(entry.path).unlink(missing_ok=True)
                removed += 1
    return removed


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    age = time.time() - entry.stat(follow_symlinks=False).st_mtime
    if age < _ORPHANED_AFTER_SECONDS:
        return False
    pid = entry.name.removeprefix(_TEMPORARY_PREFIX).partition("-")[0]
    return age > _ABANDONED_AFTER_SECONDS or not (pid.isdecimal() and _is_running(int(pid)))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or no pid at all
        return True
    return True


def open_regular(path: Path) -> BinaryIO | None:
    """A regular file, open for reading; None where nothing stands. Raises LayoutError for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a fifo would block for ever
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LayoutError(path, "not a regular file", hint="move it away; what recall makes itself is made again")
    return os.fdopen(descriptor, "rb")


def read_file(path: Path) -> bytes | None:
    """The bytes of a regular file, None where nothing stands. Raises LayoutError for anything else."""
    file = open_regular(path)
    if file is None:
        return None
    with file:
        try:
            return file.read()
        except OSError as error:
            raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> LayoutError:
    hint = f"make it readable for you: chmod u+r {path}" if error.errno in {errno.EACCES, errno.EPERM} else ""
    return LayoutError(path, f"cannot be read: {error.strerror}", hint=hint)
