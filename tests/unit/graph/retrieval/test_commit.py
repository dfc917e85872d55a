"""The commit record is believed wholly or not at all."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from recall_plugin.errors import WriteFailed
from recall_plugin.graph.retrieval.commit import COMMIT, Commit, Extent, Stale, read_commit, write_commit

RECORD = Commit(7, Extent("passages-1", 96, 3), Extent("dead-1"), (Extent("run-1", 40, 5),), ("", "部署\udc80"))


def signed(body: bytes) -> bytes:
    return b"%08x\n" % zlib.crc32(body) + body


def test_a_record_reads_back(tmp_path: Path) -> None:
    write_commit(tmp_path, RECORD)

    assert read_commit(tmp_path) == RECORD
    assert (tmp_path / COMMIT).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [COMMIT]


def test_any_changed_or_missing_byte_is_noticed(tmp_path: Path) -> None:
    write_commit(tmp_path, RECORD)
    path = tmp_path / COMMIT
    good = path.read_bytes()
    for at in range(0, len(good), 3):
        for bad in (good[:at], good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]):
            path.write_bytes(bad)
            with pytest.raises(Stale):
                read_commit(tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format":1}',
        b'{"format":999,"epoch":1}',
        b'{"format":1,"epoch":1,"passages":{"name":"../x","size":0,"checksum":0}}',
        b'{"format":1,"epoch":1,"passages":{"name":"x","size":-8,"checksum":0}}',
        b'{"format":1,"epoch":1,"passages":7}',
    ],
)
def test_what_is_no_record_of_ours_is_refused(tmp_path: Path, body: bytes) -> None:
    (tmp_path / COMMIT).write_bytes(signed(body))

    with pytest.raises(Stale):
        read_commit(tmp_path)


def test_a_fifo_in_its_place_blocks_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / COMMIT)

    with pytest.raises(Stale):
        read_commit(tmp_path)


def test_a_record_that_cannot_be_written_leaves_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_commit(tmp_path, RECORD)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteFailed, match="No space left"):
        write_commit(tmp_path, Commit(8, Extent("passages-2"), Extent("dead-2")))

    assert read_commit(tmp_path) == RECORD
    assert [path.name for path in tmp_path.iterdir()] == [COMMIT]
