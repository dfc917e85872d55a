"""Exactly one process owns a store; the others learn who does, and whoever is killed leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall_plugin.errors import StoreHeld, WriteFailed
from recall_plugin.graph.store.owner import holder, owned

HOLDER = """
import sys
from pathlib import Path
from recall_plugin.graph.store.owner import owned
with owned(Path(sys.argv[1]), 0.0):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "owner.lock"


@pytest.fixture
def other(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that owns the store until it reads a line."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_who_comes_second_is_told_the_pid_and_the_start_of_who_came_first(
    lock: Path, other: subprocess.Popen[str]
) -> None:
    with pytest.raises(StoreHeld) as refused, owned(lock, 0.0):
        pass

    found = re.search(rf"process {other.pid}, started at (\S+Z)", str(refused.value))
    assert found is not None
    since = datetime.fromisoformat(found.group(1))
    assert abs((datetime.now(UTC) - since).total_seconds()) < 60
    assert refused.value.exit_code == 4
    assert holder(lock) == refused.value.holder


def test_a_held_store_is_tried_again_for_as_long_as_patience_lasts(lock: Path, other: subprocess.Popen[str]) -> None:
    started = time.monotonic()

    with pytest.raises(StoreHeld, match="waited 0\\.3 s"), owned(lock, 0.3):
        pass

    assert 0.3 <= time.monotonic() - started < 3


def test_a_store_that_becomes_free_meanwhile_is_taken(lock: Path, other: subprocess.Popen[str]) -> None:
    threading.Timer(0.2, lambda: other.communicate("\n")).start()

    with owned(lock, 20.0):
        assert f"process {os.getpid()}" in holder(lock)


def test_a_killed_holder_leaves_nothing_to_clean(lock: Path, other: subprocess.Popen[str]) -> None:
    other.send_signal(signal.SIGKILL)
    other.wait()

    assert holder(lock) == ""
    with owned(lock, 0.0):
        assert f"process {os.getpid()}" in holder(lock)


def test_nobody_owns_a_store_in_the_same_process_twice(lock: Path) -> None:
    with owned(lock, 0.0), pytest.raises(StoreHeld, match=f"process {os.getpid()}"), owned(lock, 0.0):
        pass

    with owned(lock, 0.0):
        pass
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"pid": 7}', b"\xff" * 2000])
def test_a_holder_that_wrote_nothing_readable_is_another_process(
    lock: Path, other: subprocess.Popen[str], content: bytes
) -> None:
    lock.write_bytes(content)

    with pytest.raises(StoreHeld, match="held by another process"), owned(lock, 0.0):
        pass


def test_what_is_no_file_of_ours_is_named_and_not_followed(lock: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("words")
    lock.symlink_to(precious)
    with pytest.raises(WriteFailed, match="owner\\.lock"), owned(lock, 0.0):
        pass
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(WriteFailed, match="not a regular file"), owned(lock, 0.0):
        pass
    lock.unlink()
    lock.mkdir()
    with pytest.raises(WriteFailed, match="owner\\.lock"), owned(lock, 0.0):
        pass

    assert precious.read_text() == "words"
