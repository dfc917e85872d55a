"""Numbers without gaps, in monthly files, and what the journal tells of itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_events import NOVEMBER, NOW, event, files, kept, names
from plain_user import PLAIN_USER

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import Busy, EventRefused, LayoutError, WriteFailed, WriteUnconfirmed
from recall_plugin.files.journal import Entry, Journal
from recall_plugin.files.lock import folder_lock


@given(
    batches=st.lists(
        st.tuples(
            st.datetimes(datetime(2026, 1, 1), datetime(2027, 6, 30), timezones=st.just(UTC)),
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4),
            st.sampled_from(["append", "note", "spool"]),
        ),
        max_size=8,
    ),
    after=st.integers(0, 12),
)
@settings(max_examples=40)
def test_what_was_appended_is_read_back_in_order(
    batches: Sequence[tuple[datetime, list[str], str]], after: int
) -> None:
    written: list[tuple[str, datetime]] = []
    spooled: list[tuple[datetime, list[tuple[str, datetime]]]] = []
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        layout.memory.mkdir()
        journal = Journal(layout)
        for now, texts, how in batches:
            batch = [(text, now) for text in texts]
            if how == "spool":
                journal.spool([event(text) for text in texts], now=now)
                spooled.append((now, batch))
                continue
            numbers = getattr(journal, how)([event(text) for text in texts], now=now)
            for _, waiting in sorted(spooled, key=lambda item: item[0]):
                written += waiting
            spooled.clear()
            assert numbers == range(len(written) + 1, len(written) + 1 + len(texts))
            written += batch
        entries = list(journal.read())
        later = list(journal.read(after))
        segments = sorted(path.name for path in layout.journal.glob("*.jsonl"))

    assert [(entry.fields["name"], entry.at) for entry in entries] == written
    assert [entry.n for entry in entries] == list(range(1, len(written) + 1))
    assert later == entries[after:]
    assert segments == sorted({entry.segment for entry in entries})
    assert [entry.segment for entry in entries] == sorted(entry.segment for entry in entries)


def test_files_and_folders_are_the_owners_alone(layout: Layout) -> None:
    previous = os.umask(0)
    try:
        Journal(layout).append([event("a")], now=NOW)
        Journal(layout).spool([event("b")], now=NOW)
    finally:
        os.umask(previous)

    modes = {path.name: path.stat().st_mode & 0o777 for path in [layout.journal, *layout.journal.iterdir()]}
    assert modes == {"journal": 0o700, NOVEMBER: 0o600, ".lock": 0o600, "spool": 0o700}
    assert [path.stat().st_mode & 0o777 for path in layout.spool.iterdir()] == [0o600]


def test_a_clock_that_went_back_over_a_month_writes_to_the_latest_segment(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("november")], now=NOW)
    journal.append([event("december")], now=NOW + timedelta(days=10))
    journal.append([event("back")], now=NOW)

    found = [(entry.n, entry.fields["name"], entry.segment) for entry in journal.read()]
    assert found == [(1, "november", NOVEMBER), (2, "december", "2026-12.jsonl"), (3, "back", "2026-12.jsonl")]
    assert [entry.at for entry in journal.read(2)] == [NOW]


def test_the_month_is_that_of_utc(layout: Layout) -> None:
    Journal(layout).append([event("a")], now=datetime.fromisoformat("2026-12-01T01:00:00+02:00"))

    assert (layout.journal / NOVEMBER).exists()


def test_reading_after_a_number_opens_no_earlier_segment(layout: Layout) -> None:
    journal = Journal(layout)
    for month in range(1, 7):
        journal.append([event((month, part)) for part in range(3)], now=datetime(2026, month, 1, tzinfo=UTC))
    for month in (1, 2):
        (layout.journal / f"2026-0{month}.jsonl").write_bytes(b"nonsense\n")

    assert [entry.n for entry in journal.read(10)] == list(range(11, 19))
    assert [entry.n for entry in journal.read(9)] == list(range(10, 19))
    assert list(journal.read(18)) == []
    assert list(journal.read(1000)) == []


def test_a_refused_event_keeps_its_whole_batch_out(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    before = files(layout.journal)
    for write in (journal.append, journal.note, journal.spool):
        with pytest.raises(EventRefused):
            write([event("b"), {"kind": "noted", "n": 2}], now=NOW)

    assert files(layout.journal) == before


def test_a_held_lock_is_waited_for_by_append_and_not_by_note(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    with folder_lock(layout.journal_lock):
        with pytest.raises(Busy, match=f"pid {os.getpid()}"):
            journal.append([event("lost")], now=NOW, patience=0.02)
        with pytest.raises(Busy):
            list(journal.read(patience=0.02))
        noted = journal.note([event("b"), event("c")], now=NOW)
        state = journal.state()

    assert noted is None
    assert (state.waiting, state.events, state.problem) == (1, 1, "")
    assert journal.note([event("d")], now=NOW) == range(4, 5)
    assert kept(layout) == ["a", "b", "c", "d"]
    assert not list(layout.spool.iterdir())


def test_an_unfinished_append_is_no_problem_while_its_writer_holds_the_lock(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    with (layout.journal / NOVEMBER).open("ab") as file:
        file.write(b'{"n":2,"at"')
    with folder_lock(layout.journal_lock):
        under_way = journal.state()

    assert under_way.problem == ""
    assert "11 bytes at its end are of an append that was never finished" in journal.state().problem
    assert kept(layout) == ["a"]


def test_the_state_tells_what_the_files_tell(layout: Layout) -> None:
    journal = Journal(layout)
    empty = journal.state()
    journal.append([event("a")], now=NOW)
    journal.append([event("b"), event("c")], now=NOW + timedelta(days=1))
    journal.spool([event("d")], now=NOW)
    state = journal.state()

    assert (empty.events, empty.last_at, empty.bytes, empty.segments, empty.problem) == (0, None, 0, 0, "")
    assert (state.events, state.last_at, state.segments) == (3, NOW + timedelta(days=1), 2)
    assert state.bytes == sum(path.stat().st_size for path in layout.journal.glob("*.jsonl"))
    assert (state.waiting, state.set_aside, state.torn_files, state.problem) == (1, 0, 0, "")
    assert journal.last_number() == 3


def test_looking_at_a_memory_without_a_journal_makes_none(layout: Layout) -> None:
    journal = Journal(layout)

    assert (list(journal.read()), journal.last_number(), journal.state().events) == ([], 0, 0)
    assert not list(layout.memory.iterdir())


def test_no_memory_is_made_by_an_append(tmp_path: Path) -> None:
    for write in (Journal(Layout(tmp_path)).append, Journal(Layout(tmp_path)).note):
        with pytest.raises(WriteFailed, match="recall init"):
            write([event("a")], now=NOW)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_what_stands_in_place_of_a_segment_is_named_and_not_followed(layout: Layout, what: str, tmp_path: Path) -> None:
    segment, elsewhere = layout.journal / NOVEMBER, tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    layout.journal.mkdir()
    if what == "link":
        segment.symlink_to(elsewhere)
    elif what == "fifo":
        os.mkfifo(segment)
    else:
        segment.mkdir()
    journal = Journal(layout)
    calls = [
        lambda: journal.append([event("a")], now=NOW),
        lambda: list(journal.read()),
        journal.last_number,
        journal.recover,
        lambda: journal.rewrite(lambda entry: None, now=NOW),
    ]
    for call in calls:
        with pytest.raises(LayoutError, match=NOVEMBER):
            call()

    assert NOVEMBER in journal.state().problem
    assert journal.note([event("b")], now=NOW) is None
    assert journal.state().waiting == 1
    assert elsewhere.read_bytes() == b""


def test_a_failed_fsync_stops_the_journal_until_it_is_opened_again(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    before = files(layout.journal)

    def failing(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing)
        with pytest.raises(WriteUnconfirmed, match="did not confirm it: Input/output error"):
            journal.append([event("b"), event("c")], now=NOW)

    assert files(layout.journal) == before
    for write in (journal.append, journal.note):
        with pytest.raises(WriteUnconfirmed, match="an earlier write failed"):
            write([event("d")], now=NOW)
    assert kept(layout) == ["a"]
    assert Journal(layout).append([event("e")], now=NOW) == range(2, 3)


def test_a_reader_is_given_nothing_that_the_disk_does_not_confirm(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal(layout).append([event("a")], now=NOW)

    def failing(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    for look in (lambda: list(Journal(layout).read()), Journal(layout).last_number):
        with pytest.raises(WriteUnconfirmed):
            look()


READ_ONLY = """
import sys
from pathlib import Path
from journal_events import NOW, event, kept
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import WriteFailed
from recall_plugin.files.journal import Journal
layout = Layout(Path(sys.argv[1]))
print(kept(layout), Journal(layout).state().events)
for write in (Journal(layout).append, Journal(layout).note):
    try:
        write([event("b")], now=NOW)
    except WriteFailed as error:
        print(error)
"""


def test_a_read_only_folder_is_read_and_refuses_writes_with_a_hint(layout: Layout, unlocked: Path) -> None:
    Journal(layout).append([event("a")], now=NOW)
    layout.journal_lock.unlink()
    layout.journal.chmod(0o500)
    run = subprocess.run(
        [*PLAIN_USER, sys.executable, "-c", READ_ONLY, layout.root],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.stderr == ""
    first, *refusals = run.stdout.splitlines()
    assert first == "['a'] 1"
    assert len(refusals) == 2
    assert all("cannot write" in line and "writable for you" in line for line in refusals)


def test_a_reader_goes_on_in_the_file_that_it_began_with(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event(name) for name in "abc"], now=NOW)
    journal.append([event(name) for name in "de"], now=NOW + timedelta(days=1))
    reading = journal.read()
    seen = names([next(reading)])
    longer = "x" * 100_000

    def lengthen(entry: Entry) -> Entry:
        return replace(entry, fields={"name": longer})

    journal.rewrite(lengthen, now=NOW)
    journal.append([event("f")], now=NOW + timedelta(days=1))
    seen += names(reading)

    assert seen[0] == "a"
    assert len(seen) == 5
    assert kept(layout) == [longer] * 5 + ["f"]
