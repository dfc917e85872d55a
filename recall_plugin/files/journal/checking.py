"""Whether the journal can be followed from its beginning, looked at again only where a file has changed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Signature = tuple[int, int]  # bytes, and the time of the last change in nanoseconds


@dataclass(frozen=True, slots=True)
class Checked:
    """signatures: of the segments that are sound, by file name. problem: where the first damage is, or empty."""

    signatures: Mapping[str, Signature]
    problem: str = ""


def signatures_of(segments: Sequence[Path]) -> dict[str, Signature]:
    """How each segment stands. Raises OSError."""
    return {path.name: (stat.st_size, stat.st_mtime_ns) for path in segments for stat in [os.lstat(path)]}


def first_changed(segments: Sequence[Path], now: Mapping[str, Signature], known: Mapping[str, Signature]) -> int:
    """The place of the first segment that is not as it was known to be sound; their number where all are."""
    names = [path.name for path in segments]
    if any(name not in now for name in known):  # one is gone, and nobody knows from where
        return 0
    return next((place for place, name in enumerate(names) if known.get(name) != now[name]), len(names))
