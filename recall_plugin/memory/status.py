"""What the memory holds and how it is, found out by looking at plain files; nothing is mended."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recall_plugin.domain import health as states
from recall_plugin.domain.health import Degraded, Down, Health, Healthy
from recall_plugin.domain.instants import format_instant
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.wording import counted
from recall_plugin.errors import LayoutError, RecallError
from recall_plugin.files import conversations, curated, ephemeral, index, layers
from recall_plugin.files.sessions import SessionRow
from recall_plugin.memory import account
from recall_plugin.memory.policy import settings

_LOW_DISK_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer. detail: what it holds, in words; facts: the same as plain values for JSON."""

    name: str
    health: Health
    detail: str
    facts: dict[str, object]


@dataclass(frozen=True, slots=True)
class Status:
    """The whole memory. layers: config, the three text layers, the graph."""

    root: Path
    health: Health
    layers: tuple[Layer, ...]

    def to_json(self) -> dict[str, object]:
        """The documented shape of `recall status --json` (docs/commands.md)."""
        return {
            "pulse_root": str(self.root),
            "health": states.to_json(self.health),
            "layers": {
                layer.name: {"health": states.to_json(layer.health), "detail": layer.detail, **layer.facts}
                for layer in self.layers
            },
        }


def status(layout: Layout) -> Status:
    """The state of the memory at `layout`. Never raises: what is wrong is part of the answer."""
    folder = _folder_health(layout)
    if isinstance(folder, Down):
        return Status(layout.root, folder, ())
    found = (_config(layout), _curated(layout), _ephemeral(layout), _archives(layout), _graph(layout))
    return Status(layout.root, states.combine([folder, *(layer.health for layer in found)]), found)


def _folder_health(layout: Layout) -> Health:
    for folder in (layout.memory, layout.conversations):
        if not folder.is_dir():
            what = "is not a folder" if folder.exists() else "is missing"
            return Down(f"{folder} {what}: run `recall init {layout.root}`")
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return Down(f"{folder} cannot be written by you: chmod u+rwx {folder}")
    reasons = []
    if layout.lock.is_symlink() or (layout.lock.exists() and not _is_lock(layout)):
        reasons.append(f"{layout.lock} is not a file that you can write: move it away")
    mode = stat.S_IMODE(layout.memory.stat().st_mode)
    if mode & 0o077:
        reasons.append(f"{layout.memory} can be entered by others (mode {mode:04o}): chmod go-rwx {layout.memory}")
    space = os.statvfs(layout.memory)
    left = space.f_bavail * space.f_frsize
    if left < _LOW_DISK_BYTES:
        reasons.append(f"only {left >> 20} MiB are left on the disk of {layout.memory}: free some space")
    return Degraded(tuple(reasons)) if reasons else Healthy()


def _is_lock(layout: Layout) -> bool:
    return layout.lock.is_file() and os.access(layout.lock, os.R_OK | os.W_OK)


def _config(layout: Layout) -> Layer:
    facts: dict[str, object] = {"path": str(layout.config)}
    known = settings(layout)
    if known.refused is not None:
        return Layer("config", Down(str(known.refused)), "refused", facts)
    detail = "as set" if layout.config.exists() else "defaults"
    if not known.masks:
        detail += "; secrets are not masked"
    return Layer("config", Healthy(), detail, facts)


def _curated(layout: Layout) -> Layer:
    facts: dict[str, object] = {"path": str(layout.curated)}
    try:
        text = curated.read(layout)
    except LayoutError as error:
        return Layer("curated", Degraded((str(error),)), "unreadable", facts)
    if text is None:
        reason = f"{layout.curated} is missing: `recall init {layout.root}` makes a new one"
        return Layer("curated", Degraded((reason,)), "missing", facts)
    lines = len(curated.facts(text).splitlines())
    facts |= {"lines": lines, "advised_lines": curated.ADVISED_LINES}
    detail = counted(lines, "line")
    if lines > curated.ADVISED_LINES:
        detail += f", more than the advised {curated.ADVISED_LINES}"
    return Layer("curated", Healthy(), detail, facts)


def _ephemeral(layout: Layout) -> Layer:
    window = settings(layout).policy.window
    facts: dict[str, object] = {"path": str(layout.ephemeral), "window": window}
    try:
        entries = ephemeral.entries_of(ephemeral.read(layout) or "")
    except LayoutError as error:
        return Layer("ephemeral", Degraded((str(error),)), "unreadable", facts)
    facts["sessions"] = len(entries)
    return Layer("ephemeral", Healthy(), f"{len(entries)} of {counted(window, 'session')}", facts)


def _archives(layout: Layout) -> Layer:
    facts: dict[str, object] = {"path": str(layout.conversations)}
    try:
        wrong = layers.disagreements(layout, settings(layout).policy.window)
        present = conversations.numbers(layout)
        rows = index.read(layout) or []
    except RecallError as error:
        return Layer("archives", Degraded((str(error),)), "unreadable", facts)
    newest = max((row.date for row in rows if row.date is not None), default=None)
    facts |= {
        "conversations": len(present),
        "sessions": len(rows),
        "messages": sum(row.messages for row in rows),
        "bytes": _bytes(layout, present),
        "newest": format_instant(newest) if newest else None,
    }
    reasons = [f"{what}: run `recall init {layout.root}` to make it again" for what in wrong]
    reasons += _unreadable(layout, present)
    reasons += _damaged(layout, present)
    return Layer(
        "archives",
        Degraded(tuple(reasons)) if reasons else Healthy(),
        _archive_detail(rows, len(present), newest),
        facts,
    )


def _graph(layout: Layout) -> Layer:
    """By the journal and its owner's last word; the store is not opened."""
    found = account.known(layout)
    try:
        present = conversations.numbers(layout)
    except LayoutError:  # the archives' own trouble
        present = []
    waiting = found.account.waiting(present)
    counts, journal = found.graph.counts, found.journal
    facts: dict[str, object] = {
        "path": str(layout.graph),
        "journal": str(layout.journal),
        "events": journal.events if journal else None,
        "not_applied": found.behind,
        "spooled": journal.waiting if journal else None,
        "entities": counts.get("entity", 0),
        "relations": counts.get("relates_to", 0),
        "episodes": counts.get("episode", 0),
        "ingested_archives": len(found.account.ingested),
        "waiting_archives": len(waiting),
        "failed_archives": {str(number): one.reason for number, one in found.account.archives.items()},
        "failed_sessions": {session: one.reason for session, one in found.account.sessions.items()},
        "set_aside": list(found.graph.asides),
        "model": found.graph.model or None,
    }
    detail = (
        f"{counted(counts.get('entity', 0), 'entity', 'entities')}, {counted(counts.get('relates_to', 0), 'relation')},"
        f" {counted(counts.get('episode', 0), 'episode')}"
    )
    if waiting:
        detail += f"; {counted(len(waiting), 'archive')} to ingest"
    reasons = _graph_reasons(layout, found)
    return Layer("graph", Degraded(tuple(reasons)) if reasons else Healthy(), detail, facts)


def _model_reasons(layout: Layout, model: str) -> list[str]:
    """Whether questions are refused because another model is configured than made the vectors."""
    wanted = settings(layout).embedding_model
    name = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")
    if not model or model.startswith(f"{name}-"):
        return []
    return [
        f"the vectors are of the model {model}, and {wanted} is configured: `recall rebuild` embeds everything anew"
    ]


def _graph_reasons(layout: Layout, found: account.Known) -> list[str]:
    reasons = [found.problem] if found.problem else []
    reasons += _model_reasons(layout, found.graph.model)
    for folder in (layout.journal, layout.graph):
        if folder.exists() and not (folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)):
            reasons.append(f"{folder} is no folder that you can write: chmod u+rwx {folder}, or move it away")
    if found.graph.read_only and found.graph.read_only != found.problem:
        reasons.append(f"nothing is recorded: {found.graph.read_only}")
    reasons += [f"{aside} (set aside; docs/journal.md says what to do)" for aside in found.graph.asides]
    for session, failure in found.account.sessions.items():
        reasons.append(f"session {session} was not archived: {failure.reason}; archive its transcript by hand")
    for number, failure in found.account.archives.items():
        if not layout.conversation(number).exists():
            continue  # it is missed among the archives
        reasons.append(f"conversation {number:03d} was not ingested: {failure.reason}")
    if found.journal is not None and found.journal.set_aside:
        reasons.append(f"{counted(found.journal.set_aside, 'file')} in {layout.spool} could not be read")
    return reasons


def _archive_detail(rows: list[SessionRow], files: int, newest: datetime | None) -> str:
    messages = sum(row.messages for row in rows)
    since = f", newest of {newest:%Y-%m-%d %H:%M} UTC" if newest else ""
    return f"{counted(len(rows), 'session')} in {counted(files, 'file')}, {counted(messages, 'message')}{since}"


def _bytes(layout: Layout, present: list[int]) -> int:
    return sum(path.stat().st_size for number in present if (path := layout.conversation(number)).exists())


def _unreadable(layout: Layout, present: list[int]) -> list[str]:
    found = []
    for number in present:
        path = layout.conversation(number)
        if not path.is_file():
            found.append(f"{path} is not a file: move it away")
        elif not os.access(path, os.R_OK):
            found.append(f"{path} cannot be read by you: chmod u+r {path}")
    return found


def _damaged(layout: Layout, present: list[int]) -> list[str]:
    paths = (layout.conversation(number) for number in present)
    return [
        f"{path} is cut off or damaged: archive its session again to keep what is missing"
        for path in paths
        if path.is_file() and conversations.is_damaged(path)
    ]
