"""The block of `key: value` lines between two `---` lines at the head of an archive."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Value: TypeAlias = str | int | Sequence[str]

_FENCE = "---"
# More than a head can hold is not a head.
_LONGEST_VALUE = 1 << 20
_MOST_LINES = 1000


def render(fields: Mapping[str, Value]) -> str:
    """The block, its closing line and newline included; every value in a form that JSON and YAML read alike."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join([_FENCE, *(_one_line(line) for line in lines), _FENCE]) + "\n"


def _one_line(line: str) -> str:
    """YAML breaks lines where JSON does not."""
    return line.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def read(lines: Iterator[str]) -> tuple[dict[str, object], Iterator[str]]:
    """The fields of the block that `lines` begin with, and the lines after it. No block: no fields, and all the lines.

    Values that are not JSON (another tool wrote them) come as text, outer quotes removed. Never raises.
    """
    taken = list(itertools.islice(lines, 1))
    if not taken or taken[0].removeprefix("\ufeff").rstrip() != _FENCE:
        return {}, itertools.chain(taken, lines)
    fields: dict[str, object] = {}
    for line in itertools.islice(lines, _MOST_LINES):
        taken.append(line)
        if line.rstrip() == _FENCE:
            return fields, lines
        key, colon, value = line.partition(":")
        if colon and key and key.strip() == key:
            fields[key] = _value(value.strip())
    return {}, itertools.chain(taken, lines)


def _value(text: str) -> object:
    if len(text) <= _LONGEST_VALUE:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text
