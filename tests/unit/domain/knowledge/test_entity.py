"""Seventeen kinds of things, keys that stay, and accesses that add up."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from event_strategies import texts
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.knowledge.entity import Accesses, EntityType, entity_key

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_there_are_seventeen_types_and_six_of_them_append() -> None:
    assert {one.value for one in EntityType} == {
        "person", "project", "tool", "service", "preference", "decision", "event", "concept", "case",
        "pattern", "thread", "thought", "question", "observation", "policy", "measurement", "outcome",
    }  # fmt: skip
    assert {one.value for one in EntityType if one.appends} == {
        "decision", "event", "case", "observation", "measurement", "outcome"
    }  # fmt: skip


@given(texts, st.sampled_from(EntityType), texts)
def test_a_key_is_twenty_hexadecimal_digits(name: str, type_: EntityType, salt: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{20}", entity_key(name, type_, salt))


def test_a_key_stays_what_it_is() -> None:
    assert entity_key("api", EntityType.SERVICE) == "8073345e63894ce3d31d"


def test_name_type_and_salt_each_make_another_key() -> None:
    keys = {
        entity_key("jordan", EntityType.PERSON),
        entity_key("jordan", EntityType.PROJECT),
        entity_key("jordan", EntityType.PERSON, "2"),
        entity_key("asr1603", EntityType.PERSON),
        entity_key("asr1605", EntityType.PERSON),
    }

    assert len(keys) == 5


def test_a_name_with_half_a_surrogate_pair_has_a_key() -> None:
    assert len(entity_key("\ud800", EntityType.TOOL)) == 20


def test_accesses_add_up_and_keep_the_latest_time() -> None:
    once = Accesses().added(1, NOON)

    assert once == Accesses(1, NOON)
    assert once.added(3, NOON - timedelta(days=1)) == Accesses(4, NOON)
    assert once.added(3, NOON + timedelta(days=1)) == Accesses(4, NOON + timedelta(days=1))
