"""A file of records never gives more than whole ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recall_plugin.errors import LayoutError, WriteFailed
from recall_plugin.graph.record_file import RecordFile


def test_a_torn_record_is_not_counted_and_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"head" + b"aabbc")
    file = RecordFile(path, b"head", 2)
    standing = file.standing
    file.cut(5)
    file.close()

    assert standing == 2
    assert path.read_bytes() == b"headaabb"


def test_a_new_file_has_its_header_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "file"
    file = RecordFile(path, b"head", 2)
    file.write(0, b"aabb")
    file.close()

    assert file.found_header == b"head"
    assert file.standing == 2
    assert path.read_bytes() == b"headaabb"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_cut_meanwhile_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"head" + b"aabb")
    file = RecordFile(path, b"head", 2)
    path.write_bytes(b"head")

    with pytest.raises(LayoutError, match="shorter than it was"):
        file.read(0, 2)
    file.close()


def test_what_is_no_regular_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")

    with pytest.raises(LayoutError, match="fifo: not a regular file"):
        RecordFile(tmp_path / "fifo", b"head", 2)
    for name in ("folder", "link"):
        with pytest.raises(WriteFailed, match=name):
            RecordFile(tmp_path / name, b"head", 2)
    assert not (tmp_path / "target").exists()
