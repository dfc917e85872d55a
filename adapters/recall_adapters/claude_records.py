"""The raw records of a Claude Code transcript: JSON, one object a line.

The vendor publishes no schema and calls the format internal (https://code.claude.com/docs/en/hooks, read
2026-08-22). What is known here comes from public transcripts of 1.0.98 to 2.1.270 and from the issues of
https://github.com/anthropics/claude-code up to #92735 (2026-09-18). Nothing a line holds makes reading fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# Every type that has been seen in a transcript; another one is a sign of a version to come.
KNOWN_TYPES = frozenset(
    [
        "user",
        "assistant",
        "system",
        "attachment",
        "queue-operation",
        "progress",
        "summary",
        "ai-title",
        "custom-title",
        "last-prompt",
        "tag",
        "ended",
        "relocated",
        "mode",
        "permission-mode",
        "agent-name",
        "agent-setting",
        "agent-color",
        "file-history-snapshot",
        "file-history-delta",
        "attribution-snapshot",
        "content-replacement",
        "pr-link",
        "bridge-session",
        "worktree-state",
        "cost-state",
        "atis-latch",
        "isolation-latch",
        "frame-link",
        "artifact-comment-monitor",
        "artifact-autoreact-ledger",
    ]
)

# A longer line is passed over without being held; the longest known ones, with pasted images, have some 30 MB.
LONGEST_LINE = 64 * 1024 * 1024

# A file is cut at line feeds only: U+2028 and its like stand raw inside strings. A writer that preallocates leaves NULs
# before a line, an editor a byte order mark.
_PADDING = b" \t\r\n\0\xef\xbb\xbf"
_DRAIN = 1024 * 1024

# Never a turn, and often the largest part of a file.
_SILENT = frozenset({b"progress", b"file-history-snapshot"})
# From the opening brace over pairs whose values are no objects or arrays, so that this `type` is the record's own. The
# alternatives exclude each other and never give back, so that no line is slow.
_FLAT_HEAD = re.compile(
    rb'\{\s*+(?:"[^"\\]*+"\s*+:\s*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.\w]++)\s*+,\s*+)*?"type"\s*+:\s*+"([^"\\]*+)"',
    re.DOTALL,
)
_SIDECHAIN = re.compile(rb'"isSidechain"\s*+:\s*+true')  # inside a string its quotes would be escaped
_LONGEST_HEAD = 4096

_DECODER = json.JSONDecoder(strict=False)  # a raw tab in a string costs nobody his words
# Python refuses to read an integer of more than 4300 digits; as a float it is merely large.
_LENIENT_DECODER = json.JSONDecoder(strict=False, parse_int=float)


class Record(NamedTuple):
    """One line that is not blank.

    offset: of the line, in bytes.
    kind: the record's type; in parentheses what stands in its place; empty for a line that is no JSON object.
    fields: what the record holds; for a record that cannot be a turn perhaps nothing.
    """

    offset: int
    kind: str
    fields: dict[str, object]


def read_records(file: BinaryIO, *, whole: bool = False) -> Iterator[Record]:
    """Every line of `file` that is not blank, from its position to its end. Holds one line at a time.

    whole: read also the fields of records that cannot be a turn.
    """
    offset = 0
    while line := file.readline(LONGEST_LINE + 1):
        start, offset = offset, offset + len(line)
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(_DRAIN)
                offset += len(line)
            yield Record(start, "", {})
            continue
        line = line.lstrip(_PADDING)
        if not line:
            continue
        if not whole and (silent := _silent(line)):
            yield Record(start, *silent)
            continue
        text = line.decode("utf-8", "replace")
        del line  # one copy fewer of a 30 MB line while it is parsed
        fields = parse_object(text)
        del text
        yield Record(start, "", {}) if fields is None else Record(start, _kind(fields), fields)
        del fields


def parse_object(text: str) -> dict[str, object] | None:
    """The JSON object that `text` spells, or None where it spells none that can be read."""
    for decoder in (_DECODER, _LENIENT_DECODER):
        try:
            value = decoder.decode(text)
        except (json.JSONDecodeError, RecursionError):
            return None
        except ValueError:
            continue
        return value if isinstance(value, dict) else None
    return None


def flat_kind(line: bytes) -> str:
    """The type of the record that `line` begins, complete or not; empty where only parsing could tell."""
    head = _FLAT_HEAD.match(line, 0, _LONGEST_HEAD)
    return head[1].decode("utf-8", "replace") if head else ""


def _silent(line: bytes) -> tuple[str, dict[str, object]] | None:
    """The record's kind and all that matters of it, where its first pairs show that it cannot be a turn."""
    head = _FLAT_HEAD.match(line, 0, _LONGEST_HEAD)
    if head is None or not line.endswith((b"}\n", b"}", b"}\r\n")):  # the rest is not looked at, but it may be torn
        return None
    sidechain = _SIDECHAIN.search(head[0]) is not None
    if not head[1] or not (sidechain or head[1] in _SILENT):
        return None
    return head[1].decode("utf-8", "replace"), {"isSidechain": True} if sidechain else {}


def _kind(fields: dict[str, object]) -> str:
    if "type" not in fields:
        return "(no type)"
    kind = fields["type"]
    if isinstance(kind, str):
        return kind or "(empty type)"
    return f"({type(kind).__name__})"
