"""Bytes at the end of a segment: all of them or none, and what a crash left half written cut off."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from recall_plugin.domain.layout import FILE_MODE
from recall_plugin.errors import WriteFailed, WriteUnconfirmed
from recall_plugin.files.atomic import staged, sync_folder
from recall_plugin.files.journal.segments import Tail, open_descriptor, open_segment


def append_bytes(path: Path, data: bytes) -> None:
    """`data` stands at the end of `path`, on the disk; a file that was missing is made, for its owner only.

    Raises WriteFailed, and then the file is as it was; WriteUnconfirmed where that cannot be promised; LayoutError.
    """
    try:
        descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    except OSError as error:
        raise WriteFailed.from_os_error(path, error) from error
    try:
        size = os.fstat(descriptor).st_size
        try:
            if size == 0:
                # The name first: a file that holds something has a name on the disk, whoever was killed in between.
                sync_folder(path.parent)
            _write_all(descriptor, data, size)
        except BaseException as error:
            _cut_back(descriptor, path, size)
            if isinstance(error, OSError):
                raise WriteFailed.from_os_error(path, error) from error
            raise
        try:
            os.fsync(descriptor)
        except OSError as error:
            _cut_back(descriptor, path, size)
            raise WriteUnconfirmed(path, f"the disk did not confirm it: {error.strerror}") from error
        except BaseException:
            _cut_back(descriptor, path, size)
            raise
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def _cut_back(descriptor: int, path: Path, size: int) -> None:
    try:
        os.ftruncate(descriptor, size)
    except OSError as error:
        raise WriteUnconfirmed(path, f"what was half written could not be cut off: {error.strerror}") from error
    if size == 0:  # an empty segment of a month to come would draw all later events to it
        with contextlib.suppress(OSError):
            path.unlink()
    with contextlib.suppress(OSError):
        os.fsync(descriptor)


def sync_file(path: Path) -> None:
    """What a killed process wrote to `path` is on the disk too. Raises WriteUnconfirmed, LayoutError."""
    try:
        descriptor = open_descriptor(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise WriteUnconfirmed(path, f"the disk did not confirm it: {error.strerror}") from error


def cut_tail(tail: Tail, number: int) -> Path:
    """A torn segment ends where its sound part ends, and the bytes cut off stand in a file of their own, named here.

    number: what the first event cut off would have borne. Raises WriteFailed, and then the segment is as it was;
    LayoutError.
    """
    with open_segment(tail.path) as file:
        file.seek(tail.end)
        kept = _keep(tail.path, number, file.read(tail.size - tail.end))
    try:
        descriptor = open_descriptor(tail.path, os.O_RDWR)
        try:
            os.ftruncate(descriptor, tail.end)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise WriteFailed.from_os_error(tail.path, error) from error
    return kept


def _keep(segment: Path, number: int, data: bytes) -> Path:
    """A file beside the segment that holds `data`; the same one again where a crash came before the cut."""
    names = (f"torn-{number}{suffix}.bin" for suffix in ("", *(f"-{again}" for again in range(2, 1000))))
    with staged(segment.parent, destination=segment) as stage:
        stage.file.write(data)
        for name in names:
            path = segment.with_name(name)
            if stage.claim(path) or _holds(path, data):
                return path
    raise WriteFailed(segment, "too many torn files stand beside it", hint="look at them, and move them away")


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except OSError:
        return False
