"""Records of one size behind a header, in a file that one process appends to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from recall_plugin.domain.layout import FILE_MODE
from recall_plugin.errors import LayoutError, WriteFailed, WriteUnconfirmed


class RecordFile:
    """An open file of records. It knows how many of them stand; whoever owns it says how many are good (`cut`).

    header: what the file begins with. A missing or empty file gets it; `found_header` is what stood there otherwise,
    as many bytes of it as there are.
    """

    def __init__(self, path: Path, header: bytes, record_size: int) -> None:
        """The file is open. Raises LayoutError for what is no regular file, WriteFailed where it cannot be opened."""
        self.path = path
        self._header_size = len(header)
        self._record_size = record_size
        self._descriptor = _open(path)
        try:
            size = os.fstat(self._descriptor).st_size
            if size == 0:
                self._write(header, 0, cut_to=0)
                _sync_folder(path.parent)
                size = len(header)
            self.found_header = os.pread(self._descriptor, len(header), 0)
        except OSError as error:
            os.close(self._descriptor)
            raise WriteFailed.from_os_error(path, error) from error
        except WriteFailed:
            os.close(self._descriptor)
            raise
        self.standing = max(0, size - self._header_size) // record_size
        self._is_torn = size > self._offset(self.standing)

    @property
    def descriptor(self) -> int:
        return self._descriptor

    def read(self, start: int, stop: int) -> bytes:
        """The bytes of the records from `start` up to `stop`, which stand. Raises LayoutError."""
        wanted, offset = (stop - start) * self._record_size, self._offset(start)
        parts: list[bytes] = []
        while wanted:  # one call gives 2 GB at most
            try:
                part = os.pread(self._descriptor, wanted, offset)
            except OSError as error:
                raise LayoutError(self.path, f"cannot be read: {error.strerror}") from error
            if not part:
                raise LayoutError(self.path, "shorter than it was a moment ago", hint="let nobody else write to it")
            parts.append(part)
            wanted, offset = wanted - len(part), offset + len(part)
        return b"".join(parts)

    def write(self, start: int, data: bytes | memoryview) -> None:
        """`data`, whole records, stands from record `start` on, not yet confirmed by the disk.

        Raises WriteFailed, and then the file ends before `start`.
        """
        self._write(data, self._offset(start), cut_to=self._offset(start))
        self.standing = start + len(data) // self._record_size

    def cut(self, count: int) -> None:
        """No more than `count` records stand, and nothing after them. Raises WriteFailed."""
        if self.standing > count or self._is_torn:
            try:
                os.ftruncate(self._descriptor, self._offset(min(count, self.standing)))
            except OSError as error:
                raise WriteFailed.from_os_error(self.path, error) from error
        self.standing = min(count, self.standing)
        self._is_torn = False

    def sync(self) -> None:
        """What stands is on the disk. Raises WriteUnconfirmed."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise WriteUnconfirmed(self.path, f"the disk did not confirm it: {error.strerror}") from error

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1  # what comes late must not reach another file
        os.close(descriptor)

    def _offset(self, record: int) -> int:
        return self._header_size + record * self._record_size

    def _write(self, data: bytes | memoryview, offset: int, *, cut_to: int) -> None:
        view = memoryview(data)
        try:
            while view:
                written = os.pwrite(self._descriptor, view, offset)
                view, offset = view[written:], offset + written
        except BaseException as error:
            self._cut_back(cut_to)
            if isinstance(error, OSError):
                raise WriteFailed.from_os_error(self.path, error) from error
            raise

    def _cut_back(self, size: int) -> None:
        try:
            os.ftruncate(self._descriptor, size)
        except OSError as error:
            raise WriteUnconfirmed(
                self.path, f"what was half written could not be cut off: {error.strerror}"
            ) from error


def _sync_folder(folder: Path) -> None:
    """A new file's name outlasts a crash, where the file system can promise that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some network file systems cannot sync a folder
            raise
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a fifo would block for ever
    try:
        descriptor = os.open(path, flags, FILE_MODE)
    except OSError as error:
        raise WriteFailed.from_os_error(path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LayoutError(path, "not a regular file", hint="move it away; what recall makes itself is made again")
    return descriptor
