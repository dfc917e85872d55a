"""What is put in front of a new session: the curated facts and the latest sessions, fenced, within a length."""

from __future__ import annotations

from recall_plugin.domain.fence import Print
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.text.sentences import shorten
from recall_plugin.errors import LayoutError, RecallError
from recall_plugin.files import curated, ephemeral, layers
from recall_plugin.files.print_key import PrintKey
from recall_plugin.memory.policy import Settings, settings

# Where both do not fit, the curated facts leave at least this share of the room to the latest sessions.
_SESSIONS_SHARE = 0.4
_FACTS_TITLE = "# MEMORY.md: curated facts\n\n"
_SESSIONS_TITLE = "# EPHEMERAL.md: the latest sessions, oldest first\n\n"


def session_context(layout: Layout, key: PrintKey) -> Print:
    """The text for a new session, fenced. What cannot be read is named in it, never left out in silence.

    Never raises for a damaged memory and never waits for a lock; derived files that are damaged are mended at once
    where the lock is free.
    """
    known = settings(layout)
    notices = _notices(layout, known, key)
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
    room = known.consume_chars - len(key.print(head).text) - len(_FACTS_TITLE) - len(_SESSIONS_TITLE)
    return key.print(head + _body(layout, facts, ephemeral.entries_of(recent), max(room, 0)))


def _notices(layout: Layout, known: Settings, key: PrintKey) -> list[str]:
    notices = []
    if key.problem:
        notices.append(f"this text will not be recognised when it comes back: {key.problem}")
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
    shown = _latest(entries, room - len(facts) - 1, layout)
    parts = [f"{_FACTS_TITLE}{facts}\n"] if facts else []
    parts += [f"{_SESSIONS_TITLE}{shown}"] if shown else []
    return "\n".join(parts)


def _first_lines(text: str, room: int, layout: Layout) -> str:
    """As many whole lines as fit, with a mark for the rest."""
    if len(text) <= room:
        return text
    mark = f"[… the rest stands in {layout.curated} …]"
    room -= len(mark)
    kept: list[str] = []
    for line in text.split("\n"):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, mark])


def _latest(entries: list[str], room: int, layout: Layout) -> str:
    """As many of the latest entries as fit, of the last at least its beginning, with a mark for what is left out."""
    if sum(len(entry) + 1 for entry in entries) <= room:
        return "\n".join(entries)
    mark = f"[… more stands in {layout.ephemeral} …]\n"
    room -= len(mark) + 1
    kept: list[str] = []
    for entry in reversed(entries):
        if len(entry) + 1 > room:
            break
        room -= len(entry) + 1
        kept.insert(0, entry)
    if not kept and room > 0:
        kept = [shorten(entries[-1], room)]
    return mark + "\n" + "\n".join(kept)
