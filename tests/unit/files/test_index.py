"""ARCHIVE.md gives every row back as it was, and knows when it is damaged."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.conversation import clean_text
from recall_plugin.files import index
from recall_plugin.files.sealed import seal, unseal
from recall_plugin.files.sessions import SessionRow

any_text = st.one_of(
    st.sampled_from(
        ["|", "\\", "\\|", "`a|b`", " 999 ", "a\nb", "\r", "\u2028", ", ", ",", " | ", "\\x20", "../../outside"]
    ),
    st.text(max_size=20),
)
cell_texts = st.lists(any_text, max_size=4).map("".join).map(clean_text)
rows = st.builds(
    SessionRow,
    parts=st.lists(st.integers(1, 99999), min_size=1, max_size=4, unique=True).map(sorted).map(tuple),
    date=st.none()
    | st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC)).map(
        lambda d: d.replace(microsecond=0)
    ),
    session_id=cell_texts,
    agent=cell_texts,
    project=cell_texts,
    messages=st.integers(0, 10**6),
    duration=st.sampled_from(["0s", "30m", "2h05m"]),
    topics=st.lists(cell_texts.filter(bool), max_size=4).map(tuple),
)


@given(rows)
def test_a_row_parses_back_to_the_same_values(row: SessionRow) -> None:
    line = index.render_row(row)

    assert line.count("\n") == 1
    assert len(line.splitlines()) == 1
    assert index.parse_row(line) == row


@given(st.lists(rows, max_size=5))
def test_the_file_parses_back_to_the_same_rows(given_rows: list[SessionRow]) -> None:
    text = unseal(index.render(given_rows))

    assert text is not None
    assert index.parse(text) == given_rows


@given(st.text(max_size=80))
def test_no_line_makes_the_parser_raise(line: str) -> None:
    index.parse_row(line)


@given(st.lists(rows, min_size=1, max_size=3), st.integers(min_value=1, max_value=5000))
def test_a_cut_file_is_recognised(given_rows: list[SessionRow], cut: int) -> None:
    data = index.render(given_rows)

    assert unseal(data[: max(len(data) - cut, 0)]) is None


@given(st.text(max_size=50), st.integers(0, 49), st.integers(1, 255))
def test_an_altered_byte_is_recognised(text: str, position: int, change: int) -> None:
    data = bytearray(seal(f"{text}\n"))
    data[position % len(data)] ^= change

    assert unseal(bytes(data)) is None


def test_a_pipe_cannot_start_a_column_in_a_viewer() -> None:
    row = SessionRow((1,), None, "a|b\n| 999 | x", "", "", 0, "0s", ("`p|q`",))

    line = index.render_row(row)

    assert line == "| 001 |  |  | a\\|b\\x0a\\| 999 \\| x |  | 0 | 0s | \\`p\\|q\\` |\n"
