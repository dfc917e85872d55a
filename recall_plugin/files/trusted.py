"""Files that decide what recall does, read with distrust: whoever could have written one could decide it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from recall_plugin.errors import LayoutError
from recall_plugin.files.atomic import open_regular

_LARGEST_BYTES = 1 << 20


def read_trusted(path: Path) -> str | None:
    """The text of a file that only its owner, who is this user or root, can write or replace; None where there is none.

    Raises LayoutError: for another owner, a mode that lets others write the file or its folder, more than 1 MiB, what
    is no regular file, and what is not UTF-8.
    """
    file = open_regular(path)
    if file is None:
        return None
    with file:
        _check_writers(path, os.fstat(file.fileno()))
        _check_writers(path.parent, path.parent.stat())
        data = file.read(_LARGEST_BYTES + 1)
    if len(data) > _LARGEST_BYTES:
        raise LayoutError(path, f"larger than {_LARGEST_BYTES} bytes")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LayoutError(path, f"not UTF-8 in line {line}") from error


def _check_writers(path: Path, status: os.stat_result) -> None:
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o022:
        raise LayoutError(path, f"others can write {path} (mode {mode:04o})", hint=f"run: chmod go-w {path}")
    if status.st_uid not in {os.geteuid(), 0}:
        hint = "make it your own with chown, or name another root"
        raise LayoutError(path, f"{path} belongs to another user (uid {status.st_uid})", hint=hint)
