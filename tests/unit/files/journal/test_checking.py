"""Damage anywhere is found, and what has not changed is not read again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Three months, nine events."""
    (tmp_path / "memory").mkdir()
    journal = Journal(Layout(tmp_path))
    for month in (1, 2, 3):
        journal.append(
            [{"kind": "x", "text": f"{month}-{n}"} for n in range(3)], now=datetime(2026, month, 5, tzinfo=UTC)
        )
    return journal


def _damage(layout: Layout, month: int, line: int, text: bytes) -> None:
    path = layout.journal / f"2026-{month:02d}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = text
    path.write_bytes(b"".join(lines))


def test_a_sound_journal_has_a_signature_for_each_segment(journal: Journal) -> None:
    checked = journal.check({})

    assert checked.problem == ""
    assert sorted(checked.signatures) == ["2026-01.jsonl", "2026-02.jsonl", "2026-03.jsonl"]
    assert journal.check(checked.signatures) == checked


@pytest.mark.parametrize("month", [1, 2, 3])
@pytest.mark.parametrize("line", [0, 1])
@pytest.mark.parametrize("text", [b"garbage\n", b'{"n":99,"at":"2026-01-05T00:00:00Z","kind":"x","v":1}\n', b""])
def test_damage_is_found_wherever_it_is(journal: Journal, tmp_path: Path, month: int, line: int, text: bytes) -> None:
    known = journal.check({}).signatures
    _damage(Layout(tmp_path), month, line, text)

    checked = journal.check(known)

    assert f"2026-{month:02d}.jsonl" in checked.problem
    assert checked.signatures == known


def test_a_segment_that_is_gone_is_missed(journal: Journal, tmp_path: Path) -> None:
    known = journal.check({}).signatures
    (Layout(tmp_path).journal / "2026-01.jsonl").unlink()

    assert journal.check(known).problem


def test_what_has_not_changed_is_not_read_again(journal: Journal, tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    _damage(layout, 1, 1, b"garbage\n")
    known = {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in layout.journal.glob("*.jsonl")}
    journal.append([{"kind": "x"}], now=datetime(2026, 3, 6, tzinfo=UTC))

    assert journal.check(known).problem == ""


def test_an_append_is_sound(journal: Journal) -> None:
    known = journal.check({}).signatures
    journal.append([{"kind": "x"}], now=datetime(2026, 4, 5, tzinfo=UTC))

    checked = journal.check(known)

    assert checked.problem == ""
    assert "2026-04.jsonl" in checked.signatures
