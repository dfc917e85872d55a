"""ARCHIVE.md: one row a session, read by people, and by the next archive to find a session's parts."""

from __future__ import annotations

import re

from recall_plugin.domain.instants import parse_instant
from recall_plugin.domain.layout import Layout
from recall_plugin.files.atomic import read_file, write_atomic
from recall_plugin.files.sealed import seal, unseal
from recall_plugin.files.sessions import SessionRow, date_text

_TITLE = """# Archive

Every session, one row each, newest last. `Log` numbers the files in `conversations/`. recall makes this file from them;
what is changed here by hand is lost.

| Log | Date | Agent | Session | Project | Messages | Duration | Topics |
|---|---|---|---|---|---|---|---|
"""
_COLUMNS = 8
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_ESCAPES = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)", re.DOTALL)
# What would end a cell, end a row, or start code or an escape; and what a row of one line cannot hold.
_SPECIAL = re.compile("[\\\\|`,\x00-\x1f\x7f-\x9f\u2028\u2029]")


def render(rows: list[SessionRow]) -> bytes:
    """The whole file, sealed."""
    return seal(_TITLE + "".join(map(render_row, rows)))


def render_row(row: SessionRow) -> str:
    """One line; `parse_row` gives the same row back."""
    cells = (
        ", ".join(f"{number:03d}" for number in row.parts),
        date_text(row.date),
        _escape(row.agent),
        _escape(row.session_id),
        _escape(row.project),
        str(row.messages),
        row.duration,
        ", ".join(_escape(topic) for topic in row.topics),
    )
    return f"| {' | '.join(cells)} |\n"


def parse_row(line: str) -> SessionRow | None:
    """The row that a line of the table holds, or None for any other line."""
    cells = _split(line.rstrip("\n"))
    if cells is None:
        return None
    parts, date, agent, session_id, project, messages, duration, topics = cells
    numbers = parts.split(", ")
    if not all(_NUMBER.fullmatch(number) for number in [*numbers, messages]):
        return None
    return SessionRow(
        parts=tuple(int(number) for number in numbers),
        date=parse_instant(date),
        session_id=_unescape(session_id),
        agent=_unescape(agent),
        project=_unescape(project),
        messages=int(messages),
        duration=duration,
        topics=tuple(_unescape(topic) for topic in topics.split(", ")) if topics else (),
    )


def parse(text: str) -> list[SessionRow] | None:
    """All rows of the unsealed file, or None where a line of the table is none of ours."""
    if not text.startswith(_TITLE):
        return None
    rows = [parse_row(line) for line in text.removeprefix(_TITLE).split("\n")[:-1]]
    return [row for row in rows if row is not None] if None not in rows else None


def read(layout: Layout) -> list[SessionRow] | None:
    """The rows on disk; None where the file is missing, cut or altered, and must be made again. Raises LayoutError."""
    data = read_file(layout.index)
    text = unseal(data) if data is not None else None
    return parse(text) if text is not None else None


def write(layout: Layout, rows: list[SessionRow]) -> None:
    """The file holds exactly `rows`. Raises WriteFailed, and then it holds what it did before."""
    write_atomic(layout.index, render(rows))


def _split(line: str) -> list[str] | None:
    # A pipe inside a cell has a backslash before it, never the space that a boundary has.
    cells = line[2:-2].split(" | ") if line.startswith("| ") and line.endswith(" |") else []
    return cells if len(cells) == _COLUMNS else None


def _escape(text: str) -> str:
    """`text` in one cell: what would break the table, and spaces that a table trims, written as escapes."""
    escaped = _SPECIAL.sub(lambda match: _code(match.group()), text)
    stripped = escaped.strip(" ")
    if stripped == escaped:
        return escaped
    return escaped.replace(" ", "\\x20")


def _code(character: str) -> str:
    if character in "\\|`":
        return f"\\{character}"
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"


def _unescape(text: str) -> str:
    return _ESCAPES.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code[1:], 16)) if len(code) > 1 else code
