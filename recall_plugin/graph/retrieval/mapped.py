"""Files of the cache in memory: mapped, and extended at their end."""

from __future__ import annotations

import mmap
import os
import stat
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from recall_plugin.domain.layout import FILE_MODE
from recall_plugin.graph.retrieval.commit import Extent, Stale

Bytes = npt.NDArray[np.uint8]


def mapped(folder: Path, extent: Extent, *, known: Extent | None = None) -> Bytes:
    """The bytes of `extent`, read-only and mapped. Raises Stale where they are not what was committed.

    known: a beginning of the same file that was checked before; only the rest is read for the checksum.
    """
    if extent.size == 0:
        return np.zeros(0, np.uint8)
    try:
        descriptor = os.open(folder / extent.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size < extent.size:
                raise Stale(f"{extent.name}: shorter than committed, or no file")
            content = mmap.mmap(descriptor, extent.size, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise Stale(f"{extent.name}: {error.strerror}") from error
    array = np.frombuffer(content, np.uint8)
    start, checksum = (known.size, known.checksum) if known else (0, 0)
    if zlib.crc32(memoryview(content)[start:], checksum) != extent.checksum:
        raise Stale(f"{extent.name}: altered")
    return array


def extended(folder: Path, extent: Extent, data: bytes) -> Extent:
    """The extent with `data` behind it, on the disk; bytes beyond it, of a write that was not committed, are gone.

    The committed bytes stay as they are. Raises OSError.
    """
    if not data:
        return extent
    descriptor = os.open(folder / extent.name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.truncate(extent.size)
        file.seek(extent.size)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return Extent(extent.name, extent.size + len(data), zlib.crc32(data, extent.checksum))
