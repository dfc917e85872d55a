"""Events replaced or forgotten in the files that hold them, their numbers kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.domain.instants import format_instant
from recall_plugin.files.atomic import staged
from recall_plugin.files.journal.entry import BLANK, Entry, encode_fields, line_of
from recall_plugin.files.journal.segments import open_segment


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rewrite did. replaced, blanked: events; segments: the files that were written anew."""

    replaced: int
    blanked: int
    segments: tuple[Path, ...]


def rewrite(folder: Path, entries: Iterable[Entry], replace: Callable[[Entry], Entry | None]) -> Rewritten:
    """Every event is what `replace` makes of it, a blank where that is None. The caller holds the journal's lock.

    Nothing is written before all events were read and replaced; then each segment is wholly old or wholly new at any
    moment. Raises EventRefused, JournalDamaged, LayoutError, with nothing changed; WriteFailed.
    """
    lines: dict[str, dict[int, bytes]] = {}
    replaced = blanked = 0
    for entry in entries:
        if entry.kind == BLANK:
            continue
        new = replace(entry)
        if new is None:
            blanked += 1
        elif new == entry:
            continue
        else:
            replaced += 1
        lines.setdefault(entry.segment, {})[entry.offset] = _line(entry, new)
    paths = tuple(folder / name for name in lines)
    for path in paths:
        _rewrite_segment(path, lines[path.name])
    return Rewritten(replaced, blanked, paths)


def _line(entry: Entry, new: Entry | None) -> bytes:
    """The envelope stays: the number has its place, and the append that it came with its length."""
    event = encode_fields(BLANK, 1, {}) if new is None else encode_fields(new.kind, new.v, new.fields)
    return line_of(entry.n, format_instant(entry.at), event, more=entry.more, spool=entry.spool)


def _rewrite_segment(path: Path, lines: dict[int, bytes]) -> None:
    offset = 0
    with open_segment(path) as old, staged(path.parent, destination=path) as stage:
        for line in old:
            stage.file.write(lines.get(offset, line))
            offset += len(line)
        stage.replace(path)
