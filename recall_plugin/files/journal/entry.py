"""An event of the journal and its line."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from recall_plugin.domain.instants import format_instant, parse_instant
from recall_plugin.errors import EventRefused

BLANK = "blank"
LARGEST_EVENT = 1 << 20  # bytes of JSON, the envelope aside
LONGEST_LINE = LARGEST_EVENT + 4096
DEEPEST = 32  # objects and lists in one another, the event itself counted

_ENVELOPE = frozenset({"n", "at", "more", "spool"})
_NUMBER = re.compile(rb'\{"n":(\d{1,18}),')
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"))


class NotAnEntry(ValueError):
    """A line is no event of the journal; the text says why."""


class NotJson(NotAnEntry):
    """A line is not even JSON, as one that was cut while it was written."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One numbered event as the journal holds it.

    n: its number, from 1.
    at: when it was written down, UTC; may lie before that of its predecessor (a clock that went back, a spool).
    kind, v: what it is, and in which version; a `blank` stands where an event was forgotten.
    fields: all that the caller gave beside kind and version.
    segment, offset: the name of its file, and the byte of it where the line begins.
    more: how many events of the same append follow it.
    spool: the id of the spool file that it came by; empty where it came directly.
    """

    n: int
    at: datetime
    kind: str
    v: int
    fields: Mapping[str, Any]
    segment: str
    offset: int
    more: int = 0
    spool: str = ""

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that another event under this number would not have."""
        value = [self.n, format_instant(self.at), self.kind, self.v, self.fields]
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def encode_event(event: Mapping[str, object]) -> bytes:
    """The JSON of an event without its envelope, as it stands in a line between the envelope and the closing brace.

    Raises EventRefused: for no `kind`, a `v` that is no number from 1, a key of the envelope, what JSON does not know
    (NaN, lone surrogates, keys that are no text), more than 32 levels, more than 1 MiB.
    """
    kind = event.get("kind")
    if not isinstance(kind, str) or not kind:
        raise EventRefused(str(kind), "it has no kind")
    if kind == BLANK:
        raise EventRefused(kind, "blanks are what forgetting leaves, nobody writes them")
    return encode_fields(kind, event.get("v", 1), {key: event[key] for key in event if key not in {"kind", "v"}})


def encode_fields(kind: str, version: object, fields: Mapping[str, object]) -> bytes:
    """The same of an event in its parts, a blank included. Raises EventRefused."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise EventRefused(kind, f"its version is {version!r}, not a whole number from 1")
    if taken := sorted(key for key in fields if key in _ENVELOPE or key in {"kind", "v"}):
        raise EventRefused(kind, f"{', '.join(taken)} belongs to the envelope")
    event = {"kind": kind, "v": version, **fields}
    _check(kind, event, 1)
    try:
        data = _ENCODER.encode(event).encode()[1:-1]
    except UnicodeEncodeError:
        raise EventRefused(kind, "a text in it holds half of a surrogate pair") from None
    except ValueError as error:  # whole numbers of thousands of digits
        raise EventRefused(kind, str(error)) from None
    if len(data) > LARGEST_EVENT:
        raise EventRefused(kind, f"it has {len(data)} bytes, more than {LARGEST_EVENT}")
    return data


def _check(kind: str, value: object, depth: int) -> None:
    """Refuses what would not be read back as it is, tuples aside, which become lists."""
    if value is None or isinstance(value, str | int):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise EventRefused(kind, f"{value} is no number in JSON")
        return
    if depth > DEEPEST:
        raise EventRefused(kind, f"it is nested deeper than {DEEPEST} levels")
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str):
                raise EventRefused(kind, f"the key {key!r} is no text")
            _check(kind, part, depth + 1)
    elif isinstance(value, list | tuple):
        for part in value:
            _check(kind, part, depth + 1)
    else:
        raise EventRefused(kind, f"JSON knows no {type(value).__name__}")


def line_of(n: int, at: str, event: bytes, *, more: int = 0, spool: str = "") -> bytes:
    """The line of an event. event: from `encode_event`; at: from `format_instant`; more, spool: see `Entry`."""
    envelope = f'{{"n":{n},"at":"{at}",'
    if more:
        envelope += f'"more":{more},'
    if spool:
        envelope += f'"spool":"{spool}",'
    return b"%s%s}\n" % (envelope.encode(), event)


def number_of(line: bytes) -> int | None:
    """The number that a line begins with, the rest of it unread; None where it begins otherwise."""
    match = _NUMBER.match(line)
    return int(match.group(1)) if match else None


def decode(line: bytes, segment: str, offset: int) -> Entry:
    """The event of a line, its newline included. Raises NotAnEntry, and NotJson where it may have been cut."""
    if not line.endswith(b"\n"):
        if len(line) > LONGEST_LINE:
            raise NotJson(f"longer than {LONGEST_LINE} bytes")
        raise NotJson("no newline at its end")
    value = _parse(line)
    if not isinstance(value, dict):
        raise NotAnEntry("no JSON object")
    n, stamp, more, spool = value.pop("n", None), value.pop("at", None), value.pop("more", 0), value.pop("spool", "")
    kind, version = value.pop("kind", None), value.pop("v", None)
    if type(n) is not int or n < 1:
        raise NotAnEntry("no number")
    at = parse_instant(stamp) if isinstance(stamp, str) else None
    if at is None:
        raise NotAnEntry("no time")
    if not isinstance(kind, str) or not kind or type(version) is not int:
        raise NotAnEntry("no kind, or no version")
    if type(more) is not int or more < 0 or not isinstance(spool, str):
        raise NotAnEntry("its envelope is malformed")
    return Entry(n, at, kind, version, value, segment, offset, more, spool)


def _parse(line: bytes) -> object:
    try:
        text = line.decode()
        value: object = _DECODER.decode(text)
        # What is written here is never escaped so; a half pair would fail wherever the text goes next.
        if "\\u" in text and _SURROGATES.search(_ENCODER.encode(value)):
            raise NotJson("half of a surrogate pair")
    except UnicodeDecodeError:
        raise NotJson("not UTF-8") from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except NotAnEntry:
        raise
    except ValueError:
        raise NotJson("not JSON") from None
    return value


def _refuse(name: str) -> NoReturn:
    raise NotJson(f"{name} is no number in JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
