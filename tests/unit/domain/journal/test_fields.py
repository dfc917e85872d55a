"""A reader gives what stands in a field, or says which field it does not take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recall_plugin.domain.journal.fields import Fields, InvalidEvent


def test_a_field_that_is_null_is_there_and_is_refused() -> None:
    fields = Fields({"a": None})

    assert fields.has("a")
    assert not fields.has("b")
    for reader in (fields.text_or_empty, fields.texts, fields.count_or_zero, fields.text_map, fields.count_map):
        with pytest.raises(InvalidEvent, match=r"^a:"):
            reader("a")


def test_a_missing_field_reads_as_empty_where_it_may() -> None:
    fields = Fields({})

    assert fields.text_or_empty("a") == ""
    assert fields.texts("a") == ()
    assert fields.count_or_zero("a") == 0
    assert fields.pairs("a") == ()
    assert fields.counted_pairs("a") == ()
    assert fields.text_map("a") == {}
    assert fields.count_map("a") == {}


def test_a_field_inside_an_object_is_named_with_the_object() -> None:
    fields = Fields({"source": {"end": {"key": 7}}})

    with pytest.raises(InvalidEvent, match=r"^source\.end\.key: not a text$"):
        fields.inner("source").inner("end").text("key")


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), (-0.5, -0.5), (10**300, 1e300)])
def test_a_whole_number_is_a_number_too(value: object, number: float) -> None:
    found = Fields({"a": value}).number("a")

    assert isinstance(found, float)
    assert found == number


@pytest.mark.parametrize("value", [0, 0.0, 1, 1.0, 0.25])
def test_a_share_goes_from_0_to_1(value: float) -> None:
    assert Fields({"a": value}).share("a") == value


@pytest.mark.parametrize("value", [1, 2**53 - 1])
def test_a_count_begins_at_1_and_ends_where_numbers_of_json_are_exact(value: int) -> None:
    assert Fields({"a": value}).count("a") == value
    for outside in (0, 2**53):
        with pytest.raises(InvalidEvent, match=r"^a: not a whole number from 1$"):
            Fields({"a": outside}).count("a")


def test_an_instant_of_an_offset_is_converted() -> None:
    found = Fields({"a": "2026-03-06T23:30:00-05:00"}).instant("a")

    assert found == datetime(2026, 3, 7, 4, 30, tzinfo=UTC)
    assert found.utcoffset() == timedelta(0)


def test_instants_are_written_in_utc_and_everything_else_is_left() -> None:
    east = datetime(2026, 3, 7, 6, 30, tzinfo=timezone(timedelta(hours=2)))
    values = {"at": east, "text": "2026", "list": [1]}

    assert Fields.plain(values) == {"at": "2026-03-07T04:30:00.000Z", "text": "2026", "list": [1]}
    assert values["at"] is east


def test_who_is_not_among_the_known_learns_who_is() -> None:
    with pytest.raises(InvalidEvent, match=r"^a: not one of left, right$"):
        Fields({"a": "up"}).one_of("a", {"right", "left"})
