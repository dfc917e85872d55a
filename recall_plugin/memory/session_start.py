"""What is put in front of a new session: the curated facts and the latest sessions, fenced, within a length."""

from __future__ import annotations

from recall_plugin.domain.fence import fenced
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import LayoutError, RecallError
from recall_plugin.files import curated, ephemeral, layers
from recall_plugin.memory.policy import Settings, settings

# Where both do not fit, the curated facts leave at least this share of the room to the latest sessions.
_SESSIONS_SHARE = 0.4


def session_context(layout: Layout) -> str:
    """The text for a new session. What cannot be read is named in it, never left out in silence.

    Never raises for a damaged memory and never waits for a lock; derived files that are damaged are mended at once
    where the lock is free.
    """
    known = settings(layout)
    notices = _notices(layout, known)
    facts, recent = "", ""
    try:
        facts = curated.facts(curated.read(layout) or "")
    except LayoutError as error:
        notices.append(f"MEMORY.md is not shown: {error}")
    try:
        recent = ephemeral.read(layout) or ""
    except LayoutError as error:
        notices.append(f"EPHEMERAL.md is not shown: {error}")
    head = "".join(f"Note: {' '.join(notice.split())}\n" for notice in notices)
    return fenced(head + _body(layout, facts, ephemeral.entries_of(recent), known.consume_chars - len(head)))


def _notices(layout: Layout, known: Settings) -> list[str]:
    notices = []
    if known.refused is not None:
        notices.append(f"the memory is limited ({known.refused}); sessions are still archived")
    try:
        repaired = layers.repair(layout, known.policy.window, patience=0.0)
        notices += [f"{what}; it was made again from the conversations" for what in repaired]
    except RecallError as error:
        notices.append(f"what follows may be out of date: {error}")
    return notices


def _body(layout: Layout, facts: str, entries: list[str], room: int) -> str:
    if not facts and not entries:
        return f"Nothing is remembered yet; sessions will be kept in {layout.memory}.\n"
    recent_length = sum(len(entry) + 1 for entry in entries)
    facts = _first_lines(facts, max(room - recent_length, int(room * (1 - _SESSIONS_SHARE))), layout)
    shown = _latest(entries, room - len(facts), layout)
    parts = []
    if facts:
        parts.append(f"# MEMORY.md: curated facts\n\n{facts}\n")
    if shown:
        parts.append(f"# EPHEMERAL.md: the latest sessions, oldest first\n\n{shown}")
    return "\n".join(parts)


def _first_lines(text: str, room: int, layout: Layout) -> str:
    """As many whole lines as fit, with a mark for the rest."""
    if len(text) <= room:
        return text
    lines = text.split("\n")
    mark = f"[… the rest stands in {layout.curated} …]"
    room -= len(mark)
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, mark])


def _latest(entries: list[str], room: int, layout: Layout) -> str:
    """As many of the latest entries as fit, at least one, with a mark for the older ones."""
    kept: list[str] = []
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0 and kept:
            break
        kept.insert(0, entry)
    left_out = len(entries) - len(kept)
    mark = f"[… {left_out} older sessions stand in {layout.ephemeral} …]\n\n" if left_out else ""
    return mark + "\n".join(kept)
