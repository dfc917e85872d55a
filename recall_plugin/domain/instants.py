"""Instants: every stored time is an aware datetime in UTC, and is written in one way."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

# Seconds that a plausible epoch number can mean; anything larger is read as milliseconds, larger still as micro or
# nano.
_LARGEST_SECONDS = 1e11

_UNIT_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_DURATION_PART = re.compile(r"(\d{1,9})\s*([dhms])", re.ASCII)
_DURATION = re.compile(r"(?:\d{1,9}\s*[dhms]\s*)+", re.ASCII)


def parse_instant(value: object) -> datetime | None:
    """The instant in UTC that `value` names, or None where it names none.

    Accepts ISO 8601 text (an offset is converted, not relabelled; a text without one is UTC) and epoch numbers in
    seconds, milli-, micro- or nanoseconds. Never raises: vendors leave times out, misspell them and count past year
    9999.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value.strip())
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _from_epoch(value: float) -> datetime | None:
    try:
        seconds = float(value)
        if not math.isfinite(seconds):
            return None
        while abs(seconds) >= _LARGEST_SECONDS:
            seconds /= 1000
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def format_instant(instant: datetime) -> str:
    """`2026-03-07T04:30:00.000Z`: milliseconds, or microseconds where there are any. `parse_instant` reads it back."""
    utc = instant.astimezone(UTC)
    spec = "milliseconds" if utc.microsecond % 1000 == 0 else "microseconds"
    return utc.isoformat(timespec=spec).removesuffix("+00:00") + "Z"


def format_seconds(instant: datetime) -> str:
    """`2026-03-07T04:30:00Z`: the form of an archive's `date`; fractions of a second are dropped."""
    return instant.astimezone(UTC).isoformat(timespec="seconds").removesuffix("+00:00") + "Z"


def format_duration(seconds: float) -> str:
    """`45s`, `30m`, `2h05m`, `3d04h`: two units at the most. A negative or non-finite length is `0s`."""
    if not math.isfinite(seconds) or seconds < 0:
        return "0s"
    whole = int(seconds)
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if days:
        return f"{days}d{hours % 24:02d}h"
    if hours:
        return f"{hours}h{minutes % 60:02d}m"
    return f"{minutes}m" if minutes else f"{whole}s"


def parse_duration(text: object) -> float:
    """The seconds that a text such as `30m` or `2h05m` stands for; 0 for anything else."""
    if not isinstance(text, str) or not _DURATION.fullmatch(text):
        return 0.0
    return float(sum(int(number) * _UNIT_SECONDS[unit] for number, unit in _DURATION_PART.findall(text)))
