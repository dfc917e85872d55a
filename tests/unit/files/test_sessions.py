"""Whatever stands in the folder of conversations, there is a row for it, and nothing stops the next archive."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.conversation import Conversation, Role, Session, Turn
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.files import archiving, index, layers, sessions
from recall_plugin.files.archive_format import parse
from recall_plugin.files.policy import Policy
from recall_plugin.files.sealed import unseal

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
KEYS = (
    "log",
    "date",
    "session_id",
    "message_count",
    "duration",
    "source",
    "topics",
    "agent",
    "cwd",
    "continues",
    "mark",
)
values = st.one_of(
    st.sampled_from(
        ["999999999d", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", -1, 10**30, True, None, [], {}, "a|b\n"]
    ),
    st.text(max_size=12),
    st.integers(),
    st.floats(),
    st.lists(st.text(max_size=4), max_size=3),
)


@given(st.dictionaries(st.sampled_from(KEYS), values), st.dictionaries(st.sampled_from(KEYS), values))
def test_any_heads_make_rows_that_the_index_gives_back(one: dict[str, object], other: dict[str, object]) -> None:
    heads = []
    for number, fields in enumerate((one, other), 1):
        lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
        heads.append((number, parse(f"---\n{lines}---\n### User\n\nhello\n").head))

    rows = sessions.rows(heads)

    assert sorted(number for row in rows for number in row.parts) == [1, 2]
    text = unseal(index.render(rows))
    assert text is not None
    assert index.parse(text) == rows


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"---\n",
        b"---\ndate: 9999-12-31T23:59:59Z\nduration: 999999999d\nsession_id: s\nagent: a\n---\n### User\n\nhi\n",
        b"---\ndate: 0001-01-01T00:00:00Z\nsession_id: s\nagent: a\ncontinues: 1\n---\n### User\n\nhi\n",
        b"---\nmark: " + b"0" * 32 + b"\nsession_id: s\nagent: a\n---\n<!-- recall:" + b"0" * 32 + b" [1,2] -->\n",
        b"---\nmark: " + b"0" * 32 + b"\n---\n<!-- recall:" + b"0" * 32 + b' {"turn":7,"role":[]} -->\n',
    ],
)
def test_a_foreign_file_among_the_conversations_stops_nothing(layout: Layout, content: bytes) -> None:
    layout.conversation(1).write_bytes(content)
    turns = (Turn("t", Role.USER, "hello", NOW),)

    source = GivenTranscript(Conversation(Session("s", "a"), turns))
    outcome = archiving.archive(layout, source, Policy(lambda text: text), source="session", now=NOW)

    assert outcome.number == 2
    assert layers.disagreements(layout) == []
    assert layout.conversation(1).read_bytes() == content


def test_a_row_of_absurd_numbers_is_none() -> None:
    assert index.parse_row("| " + "1" * 5000 + " |  |  |  |  | 0 | 0s |  |\n") is None
