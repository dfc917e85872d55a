"""Forgetting leaves numbered blanks, and touches nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from journal_events import NOW, event, files, kept

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import EventRefused, WriteFailed
from recall_plugin.files.journal import BLANK, Entry, Journal, Rewritten, rewriting


@pytest.fixture
def journal(layout: Layout) -> Journal:
    journal = Journal(layout)
    for month in (1, 2, 3):
        journal.append([event(f"{month}{name}") for name in "abc"], now=datetime(2026, month, 1, tzinfo=UTC))
    return journal


def forget(*names: str) -> object:
    return lambda entry: None if entry.fields["name"] in names else entry


def test_forgotten_events_are_blanks_and_other_segments_are_untouched(journal: Journal, layout: Layout) -> None:
    before = {path.name: path.stat() for path in layout.journal.glob("*.jsonl")}
    entries = list(journal.read())

    def change(entry: Entry) -> Entry | None:
        if entry.fields["name"] == "2b":
            return None
        return replace(entry, kind="other", v=2, fields={"name": "new"}) if entry.fields["name"] == "2c" else entry

    done = journal.rewrite(change, now=NOW)
    after = list(journal.read())

    assert done == Rewritten(1, 1, (layout.journal / "2026-02.jsonl",))
    assert kept(layout) == ["1a", "1b", "1c", "2a", None, "new", "3a", "3b", "3c"]
    assert [(entry.n, entry.at, entry.more) for entry in after] == [(e.n, e.at, e.more) for e in entries]
    assert (after[4].kind, after[4].fields, after[5].kind, after[5].v) == (BLANK, {}, "other", 2)
    assert b"2b" not in b"".join(files(layout.journal).values())
    for name in ("2026-01.jsonl", "2026-03.jsonl"):
        assert (layout.journal / name).stat().st_ino == before[name].st_ino
    assert (layout.journal / "2026-02.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_journal_goes_on_behind_blanks(journal: Journal, layout: Layout) -> None:
    journal.spool([event("x"), event("y")], now=NOW)
    waiting = files(layout.spool)
    journal.rewrite(lambda entry: None, now=NOW)
    for name, data in waiting.items():
        (layout.spool / name).write_bytes(data)
    numbers = journal.append([event("z")], now=NOW)

    assert numbers == range(12, 13)
    assert kept(layout) == [None] * 11 + ["z"]
    assert journal.rewrite(lambda entry: entry, now=NOW) == Rewritten(0, 0, ())


def test_a_replacement_that_cannot_stand_there_changes_nothing(journal: Journal, layout: Layout) -> None:
    before = files(layout.journal)

    def change(entry: Entry) -> Entry | None:
        return replace(entry, fields={"n": 1}) if entry.n == 9 else None

    with pytest.raises(EventRefused):
        journal.rewrite(change, now=NOW)

    assert files(layout.journal) == before


def test_a_rewrite_that_is_cut_short_leaves_each_segment_wholly_old_or_new(
    journal: Journal, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(layout.journal)
    rewrite_segment = rewriting._rewrite_segment

    def failing(path: Path, lines: dict[int, bytes]) -> None:
        if path.name == "2026-02.jsonl":
            raise WriteFailed(path, "the disk is full")
        rewrite_segment(path, lines)

    monkeypatch.setattr(rewriting, "_rewrite_segment", failing)
    with pytest.raises(WriteFailed):
        journal.rewrite(lambda entry: None, now=NOW)

    assert kept(layout) == [None, None, None, "2a", "2b", "2c", "3a", "3b", "3c"]
    assert {name: files(layout.journal)[name] for name in ("2026-02.jsonl", "2026-03.jsonl")} == {
        name: before[name] for name in ("2026-02.jsonl", "2026-03.jsonl")
    }
