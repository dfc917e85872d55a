"""What a crash left half written is cut off and kept; any other damage is named, and stays where it is."""

from __future__ import annotations

import itertools
import re
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_events import NOVEMBER, NOW, event, kept, names

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import JournalDamaged
from recall_plugin.files.journal import Entry, Journal
from recall_plugin.files.journal.segments import lines_backwards


@given(
    lines=st.lists(st.sampled_from([0, 1, 5, 70, 65_534, 65_535, 65_536, 200_000]), max_size=5),
    tail=st.sampled_from([0, 1, 65_535, 65_536, 70_000]),
)
@settings(max_examples=60)
def test_lines_come_backwards_whole(lines: list[int], tail: int) -> None:
    data = b"".join(b"%s\n" % (b"x" * length) for length in lines) + b"y" * tail
    offsets = itertools.accumulate((len(line) for line in data.splitlines(keepends=True)), initial=0)
    expected = list(zip(offsets, data.splitlines(keepends=True), strict=False))
    with tempfile.TemporaryFile() as file:
        file.write(data)

        assert list(lines_backwards(file, len(data))) == expected[::-1]


def write(layout: Layout, data: bytes, name: str = NOVEMBER) -> Path:
    layout.journal.mkdir(exist_ok=True)
    path = layout.journal / name
    path.write_bytes(data)
    return path


def segment(layout: Layout) -> bytes:
    return (layout.journal / NOVEMBER).read_bytes()


@pytest.mark.parametrize("together", [False, True])
def test_wherever_the_last_two_lines_are_cut_only_whole_appends_stay(layout: Layout, together: bool) -> None:
    journal = Journal(layout)
    journal.append([event("a"), event("b")], now=NOW)
    journal.append([event("c")], now=NOW)
    sound = len(segment(layout))
    if together:
        journal.append([event("d"), event("é")], now=NOW)
    else:
        journal.append([event("d")], now=NOW)
        between = len(segment(layout))
        journal.append([event("é")], now=NOW)
    whole = segment(layout)
    for length in range(sound, len(whole)):
        write(layout, whole[:length])
        start = between if not together and length >= between else sound
        alive = ["a", "b", "c", "d"][: 4 if start > sound else 3]
        cut = whole[start:length]

        assert kept(layout) == alive
        assert journal.last_number() == len(alive)
        notices = Journal(layout).recover()
        assert segment(layout) == whole[:start]
        assert [notice.kept.read_bytes() for notice in notices] == ([cut] if cut else [])
        assert all(f"{len(cut)} bytes" in str(notice) for notice in notices)
        assert journal.state().problem == ""
        for notice in notices:
            notice.kept.unlink()

        if length % 5:
            continue
        fresh = Journal(layout)
        write(layout, whole[:length])
        assert fresh.append([event("next")], now=NOW) == range(len(alive) + 1, len(alive) + 2)
        assert kept(layout) == [*alive, "next"]
        assert len(fresh.notices) == bool(cut)


def test_a_last_line_of_garbage_is_cut_and_kept(layout: Layout) -> None:
    Journal(layout).append([event("a")], now=NOW)
    sound = segment(layout)
    write(layout, sound + b"\0" * 5000 + b"\n")
    (notice,) = Journal(layout).recover()

    assert segment(layout) == sound
    assert notice.kept == layout.journal / "torn-2.bin"
    assert notice.kept.read_bytes() == b"\0" * 5000 + b"\n"
    assert notice.kept.stat().st_mode & 0o777 == 0o600
    assert Journal(layout).state().torn_files == 1
    assert Journal(layout).remains() == [notice.kept]


def test_what_is_cut_off_twice_is_kept_once_and_other_bytes_beside_it(layout: Layout) -> None:
    Journal(layout).append([event("a")], now=NOW)
    sound = segment(layout)
    for torn in (b"one", b"one", b"two"):
        write(layout, sound + torn)
        Journal(layout).recover()

    found = {path.name: path.read_bytes() for path in layout.journal.glob("torn-*")}
    assert found == {"torn-2.bin": b"one", "torn-2-2.bin": b"two"}


def test_a_new_segment_that_was_never_finished_goes_on_from_the_one_before(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    december = write(layout, b'{"n":2,"at":"2026-12-', "2026-12.jsonl")
    journal.recover()

    assert december.read_bytes() == b""
    assert journal.last_number() == 1
    assert journal.append([event("b")], now=NOW) == range(2, 3)
    assert [entry.segment for entry in journal.read()] == [NOVEMBER, "2026-12.jsonl"]


def broken(layout: Layout, lines: list[bytes], place: int, line: bytes) -> None:
    write(layout, b"".join([*lines[:place], line, *lines[place + 1 :]]))


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"nonsense\n", "not JSON"),
        (b"", "event {after} stands where {due} is due"),
        (b'{"n":99,"at":"2026-11-30T10:00:00.000Z","kind":"x","v":1}\n', "event 99 stands where {due} is due"),
        (b'{"n":1}\n', "no time"),
        (b"x" * (2 << 20) + b"\n", "longer than"),
    ],
)
def test_a_broken_middle_is_named_read_up_to_and_appended_behind(
    layout: Layout, place: int, line: bytes, reason: str
) -> None:
    journal = Journal(layout)
    for name in "abcd":
        journal.append([event(name)], now=NOW)
    broken(layout, segment(layout).splitlines(keepends=True), place, line)
    before = segment(layout)
    reading = journal.read()
    seen: list[Entry] = []
    with pytest.raises(JournalDamaged, match=re.escape(reason.format(due=place + 1, after=place + 2))) as caught:
        seen.extend(reading)

    assert caught.value.path == layout.journal / NOVEMBER
    assert (caught.value.line, caught.value.good_until) == (place + 1, place)
    assert journal.recover() == ()
    assert journal.append([event("e")], now=NOW) == range(5, 6)
    assert segment(layout).startswith(before)
    assert names(journal.read(3)) == ["d", "e"]
    with pytest.raises(JournalDamaged):
        journal.rewrite(lambda entry: None, now=NOW)
    assert segment(layout).startswith(before)


def test_a_reader_yields_what_stands_before_the_damage(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event(name) for name in "abcd"], now=NOW)
    broken(layout, segment(layout).splitlines(keepends=True), 2, b"{}\n")
    reading = journal.read()

    assert names(itertools.islice(reading, 2)) == ["a", "b"]
    with pytest.raises(JournalDamaged, match=r"line 3: no number; .* up to event 2"):
        next(reading)


def test_an_unfinished_append_is_cut_no_further_than_its_own_events(layout: Layout) -> None:
    Journal(layout).append([event(name) for name in "abc"], now=NOW)
    first, _, third = segment(layout).splitlines(keepends=True)
    unfinished = third.replace(b'"kind"', b'"more":1,"kind"')
    write(layout, first + unfinished)
    Journal(layout).recover()
    whole = segment(layout)
    write(layout, first.replace(b'"more":2', b'"more":9') + unfinished)
    Journal(layout).recover()

    assert whole == b""
    assert segment(layout) == first.replace(b'"more":2', b'"more":9')


@pytest.mark.parametrize(
    ("end", "line", "reason"),
    [
        (b"nonsense\nnonsense too\n", 3, "not JSON"),
        (b"nonsense\ncut", 3, "not JSON"),
        (b'{"n":3}\n', 3, "no time"),
        (b'nonsense\n{"n":4,"at":"2026-11-30T10:00:00Z","more":1,"kind":"noted","v":1}\n', 3, "not JSON"),
        (b"x" * (3 << 20) + b"\n", 3, "longer than"),
    ],
)
def test_where_the_end_hides_the_last_number_nothing_is_cut_and_hooks_spool(
    layout: Layout, end: bytes, line: int, reason: str
) -> None:
    journal = Journal(layout)
    journal.append([event("a")], now=NOW)
    journal.append([event("b")], now=NOW)
    damaged = segment(layout) + end
    write(layout, damaged)
    for call in (lambda: journal.append([event("c")], now=NOW), journal.recover, journal.last_number):
        with pytest.raises(JournalDamaged, match=reason) as caught:
            call()
        assert (caught.value.line, caught.value.good_until) == (line, 2)
    noted = journal.note([event("c")], now=NOW)

    assert noted is None
    assert segment(layout) == damaged
    assert f"line {line}" in journal.state().problem
    reading = journal.read()
    assert names(itertools.islice(reading, 2)) == ["a", "b"]
    with pytest.raises(JournalDamaged):
        next(reading)


def test_an_earlier_segment_may_not_be_cut(layout: Layout) -> None:
    journal = Journal(layout)
    journal.append([event("a"), event("b")], now=NOW)
    whole = segment(layout)
    journal.append([event("c")], now=NOW + timedelta(days=1))
    write(layout, whole[:-3])

    with pytest.raises(JournalDamaged, match="no newline at its end"):
        kept(layout)
    assert journal.append([event("d")], now=NOW) == range(4, 5)
    (layout.journal / "2026-12.jsonl").write_bytes(b"")
    with pytest.raises(JournalDamaged, match="line 1: its end was cut, and other segments follow it"):
        journal.append([event("e")], now=NOW)


def test_a_missing_segment_is_a_gap(layout: Layout) -> None:
    journal = Journal(layout)
    for month in (1, 2, 3):
        journal.append([event(month)], now=datetime(2026, month, 1, tzinfo=UTC))
    (layout.journal / "2026-02.jsonl").unlink()

    with pytest.raises(JournalDamaged, match=r"2026-03.jsonl: line 1: event 3 stands where 2 is due"):
        kept(layout)
    with pytest.raises(JournalDamaged):
        list(journal.read(2))


def read_to_damage(layout: Layout) -> tuple[list[int], JournalDamaged | None]:
    numbers: list[int] = []
    try:
        for entry in Journal(layout).read():
            numbers.append(entry.n)
    except JournalDamaged as error:
        return numbers, error
    return numbers, None


@given(
    position=st.integers(0, 10_000),
    change=st.binary(min_size=1, max_size=3),
    length=st.integers(0, 3),
)
@settings(max_examples=80)
def test_whatever_byte_is_altered_nothing_is_lost_and_the_numbers_hold(
    position: int, change: bytes, length: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        layout.memory.mkdir()
        journal = Journal(layout)
        for batch in ("ab", "c", "d"):
            journal.append([event(name) for name in batch], now=NOW)
        data = segment(layout)
        position %= len(data)
        altered = data[:position] + change + data[position + length :]
        write(layout, altered)
        numbers, found = read_to_damage(layout)
        try:
            fresh = Journal(layout)
            given_numbers = fresh.append([event("new")], now=NOW)
        except JournalDamaged:
            assert segment(layout) == altered
        else:
            cut = b"".join(notice.kept.read_bytes() for notice in fresh.notices)
            kept_bytes = segment(layout)
            assert kept_bytes.startswith(altered[: len(altered) - len(cut)])
            assert altered.endswith(cut)
            if found is None:
                assert given_numbers == range(len(numbers) + 1, len(numbers) + 2)

        assert numbers == list(range(1, len(numbers) + 1))
        assert found is None or found.good_until == len(numbers)
