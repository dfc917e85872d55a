"""A disk that is full, or refuses, leaves what was there."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from journal_events import NOVEMBER, NOW, event, files, kept

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import WriteFailed, WriteUnconfirmed
from recall_plugin.files.journal import Journal

FULL = """
import resource, sys
from pathlib import Path
from journal_events import NOW, event
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import WriteFailed
from recall_plugin.files.journal import Journal
journal = Journal(Layout(Path(sys.argv[1])))
journal.append([event("a")], now=NOW)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
written = 1
while True:
    batch = [event(f"{written}-{part}", text="x" * 300) for part in range(5)]
    try:
        journal.append(batch, now=NOW)
    except WriteFailed as error:
        print(written, error)
        break
    written += 5
print(journal.append([event("small")], now=NOW)[0])
"""


def test_an_append_that_finds_the_disk_full_is_cut_back_and_smaller_ones_go_on(layout: Layout) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, layout.root],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.stderr == ""
    refused, number = run.stdout.splitlines()
    written = int(refused.split()[0])
    assert "File too large" in refused
    assert "nothing was half written" in refused
    assert int(number) == written + 1
    assert len(kept(layout)) == written + 1
    assert not list(layout.journal.glob("torn-*"))


@pytest.mark.parametrize("accepted", [0, 1, 50])
def test_a_short_write_is_cut_back(layout: Layout, monkeypatch: pytest.MonkeyPatch, accepted: int) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    before = files(layout.journal)
    write = os.pwrite

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if bytes(data).startswith(b"pid "):
            return write(descriptor, data, offset)
        if accepted and len(data) > accepted:
            return write(descriptor, data[:accepted], offset)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(WriteFailed, match="No space left on device; free some space"):
            journal.append([event("b"), event("c")], now=NOW)

    assert files(layout.journal) == before
    assert journal.append([event("d")], now=NOW) == range(2, 3)


def test_a_first_append_that_fails_leaves_no_segment(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(WriteFailed):
        Journal(layout).append([event("a")], now=NOW)

    assert list(files(layout.journal)) == [".lock"]


def test_what_cannot_be_cut_off_stops_the_journal_and_is_cut_when_it_is_opened_again(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    segment = layout.journal / NOVEMBER
    before = segment.read_bytes()
    write, truncate = os.pwrite, os.ftruncate

    def half(descriptor: int, data: bytes, offset: int) -> int:
        if bytes(data).startswith(b"{"):
            return write(descriptor, data[:20], offset)
        raise OSError(errno.EIO, "Input/output error")

    def failing(descriptor: int, length: int) -> None:
        if length:
            raise OSError(errno.EIO, "Input/output error")
        truncate(descriptor, length)

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", half)
        patched.setattr(os, "ftruncate", failing)
        with pytest.raises(WriteUnconfirmed, match="half written could not be cut off"):
            journal.append([event("b")], now=NOW)

    with pytest.raises(WriteUnconfirmed):
        journal.append([event("c")], now=NOW)
    (notice,) = Journal(layout).recover()
    assert segment.read_bytes() == before
    assert len(notice.kept.read_bytes()) == 20


def test_a_full_disk_does_not_cut_a_torn_end_that_it_cannot_keep(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    with (layout.journal / NOVEMBER).open("ab") as file:
        file.write(b'{"n":2')
    before = files(layout.journal)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(WriteFailed, match="No space left"):
            journal.recover()

    assert files(layout.journal) == before
    assert len(journal.recover()) == 1


def trace(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[tuple[str, str]]:
    """What is done to which file of a folder, from now on, in order."""
    done: list[tuple[str, str]] = []
    write, sync, unlink = os.pwrite, os.fsync, os.unlink

    def name_of(descriptor: int) -> str:
        inode = os.fstat(descriptor).st_ino
        return next((path.name for path in [folder, *folder.rglob("*")] if path.stat().st_ino == inode), "")

    def writing(descriptor: int, data: bytes, offset: int) -> int:
        done.append(("write", name_of(descriptor)))
        return write(descriptor, data, offset)

    def syncing(descriptor: int) -> None:
        done.append(("sync", name_of(descriptor)))
        sync(descriptor)

    def unlinking(path: Path) -> None:
        done.append(("unlink", "a spool file" if path.parent.name == "spool" else path.name))
        unlink(path)

    monkeypatch.setattr(os, "pwrite", writing)
    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "unlink", unlinking)
    return done


def test_each_step_is_on_the_disk_before_the_next_one_relies_on_it(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    journal.spool([event("b")], now=NOW)
    journal.spool([event("c")], now=NOW)
    done = trace(monkeypatch, layout.journal)
    journal.append([event("d")], now=NOW + timedelta(days=1))

    assert [step for step in done if step != ("write", ".lock")] == [
        ("sync", NOVEMBER),
        ("sync", "journal"),
        ("write", "2026-12.jsonl"),
        ("sync", "2026-12.jsonl"),
        ("unlink", "a spool file"),
        ("unlink", "a spool file"),
        ("sync", "spool"),
        ("write", "2026-12.jsonl"),
        ("sync", "2026-12.jsonl"),
    ]
