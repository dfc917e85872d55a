"""The derived files and the conversations they are derived from, kept in agreement."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.domain.conversation import Session
from recall_plugin.domain.digest import Digest
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.wording import counted
from recall_plugin.errors import LayoutError
from recall_plugin.files import conversations, ephemeral, index, sessions
from recall_plugin.files.archive_format import Head
from recall_plugin.files.atomic import read_file, remove_abandoned
from recall_plugin.files.ephemeral import Entry
from recall_plugin.files.lock import DEFAULT_PATIENCE_SECONDS, folder_lock
from recall_plugin.files.sessions import SessionRow


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A derived file that does not say what the conversations say. name: the file's; reason: how it came to light."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} {self.reason}"


def disagreements(layout: Layout, window: int | None = None) -> list[Disagreement]:
    """What is wrong with ARCHIVE.md and EPHEMERAL.md, found by names and seals, without reading the conversations.

    window: sessions that EPHEMERAL.md should hold, where there are so many; None where that does not matter.
    """
    found: list[Disagreement] = []
    present = conversations.numbers(layout)
    rows = _rows(layout)
    if rows is None:
        if present or layout.index.exists():
            found.append(Disagreement("ARCHIVE.md", _state(layout.index)))
    else:
        listed = {number for row in rows for number in row.parts}
        if gone := sorted(listed - set(present)):
            found.append(
                Disagreement("ARCHIVE.md", f"lists conversation {_numbers(gone)}, which is not there any more")
            )
        if new := sorted(set(present) - listed):
            found.append(Disagreement("ARCHIVE.md", f"does not list conversation {_numbers(new)}"))
    text = _window(layout)
    if text is None and (present or layout.ephemeral.exists()):
        found.append(Disagreement("EPHEMERAL.md", _state(layout.ephemeral)))
    elif text is not None and rows is not None and window is not None:
        held, wanted = len(ephemeral.entries_of(text)), min(window, len(rows))
        if held != wanted and not found:
            found.append(Disagreement("EPHEMERAL.md", f"holds {counted(held, 'session')} instead of {wanted}"))
    return found


def _numbers(numbers: list[int]) -> str:
    shown = ", ".join(f"{number:03d}" for number in numbers[:5])
    return f"{shown} and {len(numbers) - 5} more" if len(numbers) > 5 else shown


def _rows(layout: Layout) -> list[SessionRow] | None:
    """The index as it stands; None where it must be made again, for whatever reason: it is only derived."""
    try:
        return index.read(layout)
    except LayoutError:
        return None


def _window(layout: Layout) -> str | None:
    try:
        return ephemeral.read(layout)
    except LayoutError:
        return None


def _state(path: Path) -> str:
    try:
        return "is cut or was altered" if read_file(path) is not None else "is missing"
    except LayoutError as error:
        return f"is {error.reason}" if error.reason.startswith("not") else error.reason


def repair(layout: Layout, window: int, patience: float = DEFAULT_PATIENCE_SECONDS) -> list[Disagreement]:
    """ARCHIVE.md and EPHEMERAL.md say what the conversations say; what was wrong before.

    window: sessions in EPHEMERAL.md, 1 to 50. Raises Busy, LayoutError, WriteFailed.
    """
    if not layout.conversations.is_dir():  # an unmounted disk must not empty the index
        hint = f"bring it back, or run `recall init {layout.root}` to begin anew"
        raise LayoutError(layout.conversations, "the folder of conversations is missing", hint=hint)
    remove_abandoned(layout.memory)
    remove_abandoned(layout.conversations)
    found = disagreements(layout, window)
    if not found:
        return []
    with locked(layout, patience):
        refresh(layout, window)
    return found


def locked(layout: Layout, patience: float = DEFAULT_PATIENCE_SECONDS) -> AbstractContextManager[None]:
    """The lock under which the layers of a memory are written. Entering raises Busy, WriteFailed."""
    return folder_lock(layout.lock, patience)


def refresh(layout: Layout, window: int) -> None:
    """ARCHIVE.md and EPHEMERAL.md say what the conversations say. The caller holds the folder's lock.

    Only the heads of conversations that the index does not list are read, and those of the window; all of them where
    the index is damaged.
    """
    remove_abandoned(layout.memory)
    remove_abandoned(layout.conversations)
    rows = current_rows(layout)
    index.write(layout, rows)
    recent = sorted(rows, key=lambda row: (row.end, row.parts[-1]))[-window:]
    ephemeral.write(layout, [Entry(row, _head(layout, row.parts[-1])) for row in recent])


def current_rows(layout: Layout) -> list[SessionRow]:
    """The row of every session as the conversations have it now, whatever state ARCHIVE.md is in. Writes nothing."""
    present = set(conversations.numbers(layout))
    rows = _rows(layout) or []
    listed = {number: row.key for row in rows for number in row.parts}
    heads = {number: _head(layout, number) for number in sorted(present - listed.keys())}
    parts: dict[tuple[str, str], set[int]] = {row.key: set(row.parts) for row in rows}
    for number, head in heads.items():
        parts.setdefault(sessions.key_of(head, number), set()).add(number)
    unchanged = {row.key: row for row in rows}
    current: list[SessionRow] = []
    for key, numbers in parts.items():
        here = numbers & present
        if key in unchanged and here == set(unchanged[key].parts):
            current.append(unchanged[key])
        elif here:
            current.append(sessions.row([(number, heads.get(number) or _head(layout, number)) for number in here]))
    return sorted(current, key=lambda row: (row.start, row.parts[0]))


def _head(layout: Layout, number: int) -> Head:
    """The head of an archive; of one that cannot be read, a head that says so, because its row must not vanish."""
    try:
        return conversations.read_head(layout.conversation(number))
    except LayoutError as error:
        digest = Digest(summary=f"This archive cannot be read: {error.reason}.")
        return Head(
            number=number,
            date=None,
            session=Session(""),
            messages=0,
            seconds=0.0,
            source="session",
            trigger="",
            project="",
            continues=None,
            mark="",
            digest=digest,
        )
