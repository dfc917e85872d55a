"""A write happens wholly or not at all, and a name is taken once."""

from __future__ import annotations

import errno
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from recall_plugin.errors import Busy, LayoutError, WriteFailed
from recall_plugin.files import atomic
from recall_plugin.files.atomic import make_folder, open_regular, read_file, remove_abandoned, staged, write_atomic
from recall_plugin.files.lock import folder_lock


def test_a_file_is_replaced_and_private(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"one")
    write_atomic(path, b"two")

    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_half_way_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"one")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteFailed, match="No space left on device; free some space"):
        write_atomic(path, b"two")

    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_of_many_claims_exactly_one_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "taken"
    won: list[int] = []

    def claim(number: int) -> None:
        with staged(tmp_path, destination=path) as stage:
            stage.file.write(b"%d" % number)
            if stage.claim(path):
                won.append(number)

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(won) == 1
    assert path.read_bytes() == b"%d" % won[0]
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_is_taken_once_on_a_disk_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(source: Path, destination: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    for expected in (True, False):
        with staged(tmp_path, destination=tmp_path / "taken") as stage:
            stage.file.write(b"first" if expected else b"second")
            assert stage.claim(tmp_path / "taken") is expected

    assert (tmp_path / "taken").read_bytes() == b"first"


def test_only_what_nobody_writes_any_more_is_removed(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    ages = {
        f".tmp-{os.getpid()}-ancient": 7200,
        f".tmp-{gone.pid}-orphan": 120,
        f".tmp-{gone.pid}-young": 5,
        f".tmp-{os.getpid()}-slow": 120,
        "mine": 7200,
    }
    for name, age in ages.items():
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time.time() - age,) * 2)

    assert remove_abandoned(tmp_path) == 2
    assert {path.name.rpartition("-")[2] for path in tmp_path.iterdir()} == {"young", "slow", "mine"}


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert read_file(tmp_path / "missing") is None
    for path in (tmp_path, tmp_path / "fifo"):
        with pytest.raises(LayoutError, match="not a regular file"):
            open_regular(path)


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(LayoutError, match="a file stands where a folder should be"):
        make_folder(tmp_path / "file")


def test_a_folder_is_private_and_an_existing_one_keeps_its_mode(tmp_path: Path) -> None:
    make_folder(tmp_path / "new")
    (tmp_path / "open").mkdir(mode=0o755)
    make_folder(tmp_path / "open")

    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "open").stat().st_mode & 0o777 == 0o755


def test_a_folder_is_synced_after_a_name_in_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(atomic, "sync_folder", synced.append)

    write_atomic(tmp_path / "file", b"")

    assert synced == [tmp_path]


def test_a_held_lock_names_its_holder_after_the_patience_is_over(tmp_path: Path) -> None:
    with folder_lock(tmp_path / ".lock"):
        started = time.monotonic()
        with pytest.raises(Busy, match=f"is held by pid {os.getpid()}"), folder_lock(tmp_path / ".lock", patience=0.1):
            pass

    assert 0.1 <= time.monotonic() - started < 5
    with folder_lock(tmp_path / ".lock", patience=0):
        pass


def test_a_waiting_process_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with folder_lock(tmp_path / ".lock"):
            order.append("second")

    with folder_lock(tmp_path / ".lock"):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.05)
        order.append("first")
    thread.join()

    assert order == ["first", "second"]
