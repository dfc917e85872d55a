"""What waited in the spool comes into the journal once, whatever happened in between."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from journal_events import NOVEMBER, NOW, event, files, kept

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import EventRefused, WriteFailed
from recall_plugin.files.journal import Journal
from recall_plugin.files.journal.spool import LARGEST_FILE


def put_back(folder: Path, found: dict[str, bytes]) -> None:
    for name, data in found.items():
        (folder / name).write_bytes(data)


def test_the_spool_goes_first_in_the_order_of_its_times(layout: Layout) -> None:
    journal = Journal(layout)
    journal.spool([event("second"), event("third")], now=NOW + timedelta(seconds=1))
    journal.spool([event("fourth")], now=NOW + timedelta(seconds=1))
    journal.spool([event("first")], now=NOW)
    numbers = journal.append([event("fifth")], now=NOW + timedelta(seconds=2))

    entries = list(journal.read())
    assert numbers == range(5, 6)
    assert [entry.fields["name"] for entry in entries] == ["first", "second", "third", "fourth", "fifth"]
    assert [(entry.at - NOW).seconds for entry in entries] == [0, 1, 1, 1, 2]
    assert [bool(entry.spool) for entry in entries] == [True, True, True, True, False]


def test_absorbing_alone_returns_the_numbers(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    journal.spool([event("b"), event("c")], now=NOW)

    assert journal.absorb(now=NOW) == range(2, 4)
    assert journal.absorb(now=NOW) == range(4, 4)
    assert journal.append([], now=NOW) == range(4, 4)


def test_a_file_that_was_taken_over_and_not_removed_is_not_taken_over_again(layout: Layout) -> None:
    journal = Journal(layout)
    for name in "abc":
        journal.spool([event(name), event(name * 2)], now=NOW)
    waiting = files(layout.spool)
    journal.absorb(now=NOW)
    put_back(layout.spool, waiting)
    journal.spool([event("earlier")], now=NOW - timedelta(days=1))
    journal.append([event("d")], now=NOW)

    assert kept(layout) == ["a", "aa", "b", "bb", "c", "cc", "earlier", "d"]
    assert not list(layout.spool.iterdir())


def test_damage_before_the_last_append_does_not_hide_what_was_taken_over(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    journal.append([event("b")], now=NOW)
    path = layout.journal / NOVEMBER
    path.write_bytes(b"nonsense\n" + path.read_bytes().split(b"\n", 1)[1])
    journal.spool([event("c")], now=NOW)
    waiting = files(layout.spool)
    journal.absorb(now=NOW)
    put_back(layout.spool, waiting)

    assert journal.append([event("d")], now=NOW) == range(4, 5)


def test_a_spool_that_cannot_be_emptied_stops_appends_before_anything_is_doubled(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(layout)
    journal.spool([event("a")], now=NOW)

    def refusing(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refusing)
        for _ in range(2):
            with pytest.raises(WriteFailed, match="chmod u\\+rwx"):
                journal.append([event("b")], now=NOW)

    assert kept(layout) == ["a"]
    assert journal.append([event("b")], now=NOW) == range(2, 3)


def test_an_absorption_that_was_torn_is_done_again(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    for name in "bcd":
        journal.spool([event(name)], now=NOW)
    waiting = files(layout.spool)
    journal.absorb(now=NOW)
    put_back(layout.spool, waiting)
    path = layout.journal / NOVEMBER
    path.write_bytes(path.read_bytes()[:-40])

    assert journal.absorb(now=NOW) == range(2, 5)
    assert kept(layout) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b'{"at":"2026-11-30T10:00:00Z","events":[{"kind":"x"}', "not JSON"),
        (b"[]", "no JSON object"),
        (b'{"events":[{"kind":"x"}]}', "no time"),
        (b'{"at":"2026-11-30T10:00:00Z","events":[]}', "no events"),
        (b'{"at":"2026-11-30T10:00:00Z","events":[7]}', "no events"),
        (b'{"at":"2026-11-30T10:00:00Z","events":[{"kind":"x","n":1}]}', "belongs to the envelope"),
        (b'{"at":"2026-11-30T10:00:00Z","events":[{"kind":"x","y":NaN}]}', "nan is no number"),
    ],
)
def test_an_unreadable_spool_file_is_set_aside_and_named(layout: Layout, content: bytes, reason: str) -> None:
    journal = Journal(layout)
    for name in "abc":
        journal.spool([event(name)], now=NOW)
    bad = sorted(layout.spool.iterdir())[1]
    bad.write_bytes(content)
    journal.append([event("d")], now=NOW)

    assert kept(layout) == ["a", "c", "d"]
    (notice,) = journal.notices
    assert notice.path == bad
    assert reason in str(notice)
    assert notice.kept.read_bytes() == content
    assert (journal.state().waiting, journal.state().set_aside) == (0, 1)
    assert journal.remains() == [notice.kept]


def test_links_and_strangers_in_the_spool_are_not_read(layout: Layout, tmp_path: Path) -> None:
    journal = Journal(layout)
    journal.spool([event("a")], now=NOW)
    (waiting,) = layout.spool.iterdir()
    shutil.copy(waiting, tmp_path / "elsewhere.json")
    name = waiting.name
    waiting.unlink()
    waiting.symlink_to(tmp_path / "elsewhere.json")
    (layout.spool / ".tmp-1-half").write_bytes(b"half")
    (layout.spool / "notes.txt").write_text("mine")
    journal.append([event("b")], now=NOW)

    assert kept(layout) == ["b"]
    assert {path.name for path in layout.spool.iterdir()} == {".tmp-1-half", "notes.txt", f"{name}.unreadable"}


def test_a_long_spool_is_taken_over_by_parts_and_in_order_by_hooks(layout: Layout) -> None:
    journal = Journal(layout)
    for number in range(600):
        journal.spool([event(number)], now=NOW)
    noted = [journal.note([event(name)], now=NOW) for name in ("x", "y", "z")]

    assert noted == [None, None, range(603, 604)]
    assert kept(layout) == [*range(600), "x", "y", "z"]


def test_a_spool_file_has_its_limit(layout: Layout) -> None:
    large = event("x" * ((1 << 20) - 100))

    with pytest.raises(EventRefused, match=str(LARGEST_FILE)):
        Journal(layout).spool([large] * 17, now=NOW)
    assert Journal(layout).state().waiting == 0
