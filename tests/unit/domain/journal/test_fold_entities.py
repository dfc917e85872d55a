"""What is told of an entity stands, or is added where its type appends; what was shown is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from event_strategies import entities as kept_entities
from folding import apply_all, day
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.journal.events import EntityKept, Printed, Retrieved
from recall_plugin.domain.journal.fold import Ledger, Unapplicable
from recall_plugin.domain.knowledge.entity import Accesses, Entity, EntityType

APPENDING = {"decision", "event", "case", "observation", "measurement", "outcome"}


def kept(type_: EntityType = EntityType.TOOL, name: str = "Kestrel", **more: object) -> EntityKept:
    return replace(EntityKept("k1", name, type_, "person"), **more)  # type: ignore[arg-type]


def entity(*events: EntityKept | Printed | Retrieved) -> Entity:
    return apply_all(Ledger(), events).entities["k1"]


def test_the_first_event_makes_the_entity() -> None:
    found = entity(kept(abstract="a queue", attributes={"port": "22"}, project="harbor"))

    assert (found.name, found.type, found.abstract, found.project) == ("Kestrel", EntityType.TOOL, "a queue", "harbor")
    assert found.attributes == {"port": "22"}
    assert (found.number, found.created_at, found.updated_at) == (1, day(1 / 24), day(1 / 24))
    assert (found.accesses, found.utility) == (Accesses(), 0.5)


@pytest.mark.parametrize("type_", [one for one in EntityType if one.value not in APPENDING])
def test_of_an_entity_that_changes_the_latest_stands(type_: EntityType) -> None:
    before = kept(type_, abstract="a", overview="o", content="c", attributes={"port": "22", "host": "x"}, project="p")
    found = entity(before, kept(type_, abstract="A", attributes={"port": "49222"}), kept(type_, project="P"))

    assert (found.abstract, found.overview, found.content, found.project) == ("A", "o", "c", "P")
    assert found.attributes == {"port": "49222", "host": "x"}


@pytest.mark.parametrize("type_", [one for one in EntityType if one.value in APPENDING])
def test_an_entity_that_appends_loses_nothing(type_: EntityType) -> None:
    before = kept(type_, abstract="a", content="c", attributes={"port": "22"}, project="p")
    found = entity(before, kept(type_, abstract="A", overview="O", attributes={"port": "1", "host": "x"}, project="P"))

    assert (found.abstract, found.overview, found.content, found.project) == ("a\n\nA", "O", "c", "p")
    assert found.attributes == {"port": "22", "host": "x"}


def test_an_entity_that_appends_gets_the_project_that_it_lacked() -> None:
    assert entity(kept(EntityType.EVENT), kept(EntityType.EVENT, project="harbor")).project == "harbor"


@pytest.mark.parametrize("text", ["one", "one\n\ntwo", "one\n\n\n", "\n"])
def test_what_an_entity_says_already_is_not_appended_again(text: str) -> None:
    told = [kept(EntityType.CASE, content=one) for one in (text, "three", text, "three", text)]

    assert entity(*told).content == f"{text}\n\nthree"


def test_a_word_of_what_is_told_is_not_the_whole_of_it() -> None:
    told = [kept(EntityType.CASE, content=one) for one in ("it broke twice", "it broke")]

    assert entity(*told).content == "it broke twice\n\nit broke"


def test_the_name_stays_and_other_names_become_aliases_each_once() -> None:
    found = entity(
        kept(aliases=("kestrel", "KQ", "Kestrel", "kestrel")), kept(name="Kestrel Queue", aliases=("KQ", "k-q"))
    )

    assert found.name == "Kestrel"
    assert found.aliases == ("kestrel", "KQ", "k-q", "Kestrel Queue")


def test_a_known_entity_of_another_type_cannot_be_told() -> None:
    ledger = apply_all(Ledger(), [kept()])

    with pytest.raises(Unapplicable, match="entity k1 is a tool, not a project"):
        apply_all(ledger, [kept(EntityType.PROJECT)], 2)
    assert ledger.entities["k1"].type is EntityType.TOOL


def test_it_is_updated_when_something_is_new_and_only_then() -> None:
    same = entity(kept(abstract="a"), kept(abstract="a"), kept())
    new = entity(kept(abstract="a"), kept(), kept(abstract="b"))

    assert (same.created_at, same.updated_at) == (day(1 / 24), day(1 / 24))
    assert (new.created_at, new.updated_at) == (day(1 / 24), day(3 / 24))


@given(st.lists(kept_entities.map(lambda one: replace(one, key="k1", type=EntityType.CASE)), min_size=1, max_size=5))
def test_telling_an_appending_entity_everything_once_more_changes_nothing(told: list[EntityKept]) -> None:
    assert entity(*told, *told) == entity(*told)


@given(kept_entities.map(lambda one: replace(one, key="k1")))
def test_telling_the_same_twice_changes_nothing_and_marks_nothing(told: EntityKept) -> None:
    ledger = apply_all(Ledger(), [told])
    before = dict(ledger.entities)
    ledger.changed.entities.clear()
    apply_all(ledger, [told], 2)

    assert ledger.entities == before
    assert ledger.changed.entities == set()


def test_what_is_shown_in_a_print_is_counted_once_for_each_print() -> None:
    shown = Printed("p1", "query", ("k1", "k1"), episodes=((1, 0), (1, 0), (2, 3)))
    ledger = apply_all(Ledger(), [kept(), shown, shown])

    assert ledger.entities["k1"].accesses == Accesses(2, day(3 / 24))
    assert ledger.episodes == {(1, 0): Accesses(2, day(3 / 24)), (2, 3): Accesses(2, day(3 / 24))}
    assert ledger.changed.episodes == {(1, 0), (2, 3)}


def test_being_shown_is_no_news_about_an_entity() -> None:
    assert entity(kept(), Printed("p1", "query", ("k1",))).updated_at == day(1 / 24)


def test_a_roll_up_counts_as_often_as_it_says_on_its_day() -> None:
    ledger = apply_all(Ledger(), [kept(), Retrieved(day(-3), {"k1": 4}, ((1, 0, 2), (1, 0, 3)))])

    assert ledger.entities["k1"].accesses == Accesses(4, day(-3))
    assert ledger.episodes == {(1, 0): Accesses(5, day(-3))}


def test_the_last_access_never_goes_back() -> None:
    found = entity(kept(), Printed("", "query", ("k1",)), Retrieved(day(-3), {"k1": 2}))

    assert found.accesses == Accesses(3, day(2 / 24))


def test_an_entity_that_is_not_known_is_passed_over() -> None:
    ledger = apply_all(Ledger(), [Printed("", "query", ("k1",)), Retrieved(day(0), {"k1": 2})])

    assert ledger.entities == {}
    assert ledger.changed.entities == set()
