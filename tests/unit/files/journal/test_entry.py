"""A line holds an event as it was given, and nothing else is written or believed."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.instants import format_instant
from recall_plugin.errors import EventRefused
from recall_plugin.files.journal.entry import (
    DEEPEST,
    LARGEST_EVENT,
    NotAnEntry,
    NotJson,
    decode,
    encode_event,
    encode_fields,
    line_of,
    number_of,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.dictionaries(TEXTS.filter(lambda key: key not in {"n", "at", "more", "spool", "kind", "v"}), VALUES)
TIMES = st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC))


@given(
    n=st.integers(1, 10**18 - 1),
    at=TIMES,
    kind=TEXTS.filter(lambda kind: kind not in {"", "blank"}),
    v=st.integers(1, 1000),
    fields=FIELDS,
    more=st.integers(0, 1000),
    spool=st.sampled_from(["", "0123456789abcdef"]),
)
def test_a_line_is_read_back_as_it_was_written(
    n: int, at: datetime, kind: str, v: int, fields: dict[str, Any], more: int, spool: str
) -> None:
    encoded = encode_event({"kind": kind, "v": v, **fields})
    line = line_of(n, format_instant(at), encoded, more=more, spool=spool)
    entry = decode(line, "2026-11.jsonl", 7)

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert number_of(line) == n
    assert (entry.n, entry.at, entry.kind, entry.v) == (n, at, kind, v)
    assert entry.fields == fields
    assert (entry.more, entry.spool, entry.segment, entry.offset) == (more, spool, "2026-11.jsonl", 7)


@given(line=st.binary(max_size=200) | TEXTS.map(str.encode) | VALUES.map(lambda value: repr(value).encode()))
def test_whatever_stands_in_a_line_is_an_event_or_named(line: bytes) -> None:
    with pytest.raises(NotAnEntry) as caught:
        decode(line + b"\n", "2026-11.jsonl", 0)

    assert str(caught.value)


def nested(levels: int) -> object:
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"deeper": value}
    return value


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({}, "no kind"),
        ({"kind": ""}, "no kind"),
        ({"kind": 7}, "no kind"),
        ({"kind": "blank"}, "nobody writes them"),
        ({"kind": "noted", "v": 0}, "version is 0"),
        ({"kind": "noted", "v": True}, "version is True"),
        ({"kind": "noted", "v": "1"}, "version is '1'"),
        ({"kind": "noted", "n": 1}, "n belongs to the envelope"),
        ({"kind": "noted", "at": "", "more": 0, "spool": ""}, "at, more, spool belongs to the envelope"),
        ({"kind": "noted", "x": math.nan}, "nan is no number"),
        ({"kind": "noted", "x": [{"y": -math.inf}]}, "-inf is no number"),
        ({"kind": "noted", "x": "half \ud83d"}, "surrogate"),
        ({"kind": "noted", "\udc00": 1}, "surrogate"),
        ({"kind": "noted", "x": {1: 2}}, "the key 1 is no text"),
        ({"kind": "noted", "x": {2}}, "JSON knows no set"),
        ({"kind": "noted", "x": b"bytes"}, "JSON knows no bytes"),
        ({"kind": "noted", "x": nested(DEEPEST)}, "nested deeper than 32"),
        ({"kind": "noted", "x": nested(100_000)}, "nested deeper than 32"),
        ({"kind": "noted", "x": "x" * LARGEST_EVENT}, "more than 1048576"),
        ({"kind": "noted", "x": 10**5000}, "digits"),
    ],
)
def test_what_cannot_be_read_back_is_refused_by_name(event: dict[str, object], reason: str) -> None:
    with pytest.raises(EventRefused, match=reason):
        encode_event(event)


def test_the_largest_and_the_deepest_event_are_kept() -> None:
    frame = len(encode_event({"kind": "noted", "x": ""}))
    large = encode_event({"kind": "noted", "x": "x" * (LARGEST_EVENT - frame)})
    line = line_of(10**18 - 1, "2026-11-30T10:00:00.000000Z", large, more=10**9, spool="f" * 16)
    deep = encode_event({"kind": "noted", "x": nested(DEEPEST - 1)})

    assert len(decode(line, "", 0).fields["x"]) == LARGEST_EVENT - frame
    assert decode(line_of(1, "2026-11-30T10:00:00.000Z", deep), "", 0).fields == {"x": nested(DEEPEST - 1)}


def test_a_blank_is_a_legal_line() -> None:
    entry = decode(line_of(5, "2026-11-30T10:00:00.000Z", encode_fields("blank", 1, {})), "", 0)

    assert (entry.n, entry.kind, entry.fields) == (5, "blank", {})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","kind":"x","v":1}', "no newline"),
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","kind":"x","v":1,"y":NaN}\n', "NaN is no number"),
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","kind":"x","v":1,"y":"\\ud83d"}\n', "surrogate"),
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","kind":"x","v":1,"y":"\xff"}\n', "not UTF-8"),
        (b"\0" * 40 + b"\n", "not JSON"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b"\n", "not JSON"),
    ],
)
def test_a_line_that_no_append_wrote_whole_is_no_json(line: bytes, reason: str) -> None:
    with pytest.raises(NotJson, match=reason):
        decode(line, "", 0)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1]\n", "no JSON object"),
        (b'{"at":"2026-11-30T10:00:00Z","kind":"x","v":1}\n', "no number"),
        (b'{"n":0,"at":"2026-11-30T10:00:00Z","kind":"x","v":1}\n', "no number"),
        (b'{"n":true,"at":"2026-11-30T10:00:00Z","kind":"x","v":1}\n', "no number"),
        (b'{"n":1,"at":17,"kind":"x","v":1}\n', "no time"),
        (b'{"n":1,"at":"yesterday","kind":"x","v":1}\n', "no time"),
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","v":1}\n', "no kind"),
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","kind":"x"}\n', "no version"),
        (b'{"n":1,"at":"2026-11-30T10:00:00Z","more":-1,"kind":"x","v":1}\n', "malformed"),
    ],
)
def test_json_that_is_no_event_is_told_from_a_cut_line(line: bytes, reason: str) -> None:
    with pytest.raises(NotAnEntry, match=reason) as caught:
        decode(line, "", 0)

    assert not isinstance(caught.value, NotJson)


def test_an_escaped_pair_is_a_character() -> None:
    line = b'{"n":1,"at":"2026-11-30T10:00:00Z","kind":"x","v":1,"y":"\\ud83d\\ude00"}\n'

    assert decode(line, "", 0).fields == {"y": "😀"}
