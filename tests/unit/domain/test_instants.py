"""An instant is the same UTC wherever it is read, and is read back as it was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.instants import format_duration, format_instant, parse_duration, parse_instant

instants = st.datetimes(timezones=st.just(UTC))


@given(instants)
def test_a_written_instant_is_read_back(instant: datetime) -> None:
    assert parse_instant(format_instant(instant)) == instant


@given(st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_an_offset_is_converted_and_not_relabelled(local: datetime, minutes: int) -> None:
    zoned = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))

    assert parse_instant(zoned.isoformat()) == zoned


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-03-06T23:30:00-05:00", "2026-03-07T04:30:00.000Z"),
        ("2026-03-06T23:30:00", "2026-03-06T23:30:00.000Z"),
        ("2026-03-06T23:30:00.123456Z", "2026-03-06T23:30:00.123456Z"),
        (1772839800, "2026-03-06T23:30:00.000Z"),
        (1772839800000, "2026-03-06T23:30:00.000Z"),
        (1772839800000000, "2026-03-06T23:30:00.000Z"),
    ],
)
def test_known_forms_name_the_same_instant(text: object, utc: str) -> None:
    instant = parse_instant(text)

    assert instant is not None
    assert format_instant(instant) == utc


@given(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=40) | st.lists(st.integers(), max_size=2)
)
def test_what_is_no_instant_never_raises(value: object) -> None:
    instant = parse_instant(value)

    assert instant is None or instant.tzinfo is UTC


@pytest.mark.parametrize(
    "value", ["", "yesterday", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", True, None]
)
def test_nonsense_is_no_instant(value: object) -> None:
    assert parse_instant(value) is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (45, "45s"), (1800, "30m"), (7500, "2h05m"), (273600, "3d04h"), (-1, "0s")]
)
def test_a_duration_reads_well(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@given(st.integers(0, 10**8))
def test_a_duration_is_read_back_to_its_unit(seconds: int) -> None:
    text = format_duration(seconds)

    assert format_duration(parse_duration(text)) == text


@given(st.text(max_size=20))
def test_no_text_makes_a_duration_raise(text: str) -> None:
    assert parse_duration(text) >= 0
