"""What is mapped is what was committed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recall_plugin.graph.retrieval.commit import Extent, Stale
from recall_plugin.graph.retrieval.mapped import extended, mapped


def test_an_extended_file_reads_back(tmp_path: Path) -> None:
    one = extended(tmp_path, Extent("file"), b"one")
    two = extended(tmp_path, one, b"two")

    assert bytes(mapped(tmp_path, two)) == b"onetwo"
    assert bytes(mapped(tmp_path, one)) == b"one"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_what_was_written_and_not_committed_is_written_over(tmp_path: Path) -> None:
    one = extended(tmp_path, Extent("file"), b"one")
    extended(tmp_path, one, b"something long that no commit knows")
    two = extended(tmp_path, one, b"two")

    assert (tmp_path / "file").read_bytes() == b"onetwo"
    assert bytes(mapped(tmp_path, two)) == b"onetwo"


def test_a_shortened_file_is_noticed(tmp_path: Path) -> None:
    extent = extended(tmp_path, Extent("file"), b"one")
    os.truncate(tmp_path / "file", 2)

    with pytest.raises(Stale, match="shorter"):
        mapped(tmp_path, extent)


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo", "link"])
def test_what_is_no_file_is_noticed(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        (tmp_path / "other").write_bytes(b"one")
        path.symlink_to(tmp_path / "other")

    with pytest.raises(Stale):
        mapped(tmp_path, Extent("file", 3, 0))
