"""Every event is read back from its line as it was, and a line that makes no sense is refused by the field's name."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from event_strategies import LARGEST, claims, entities, instants, keys, names, relation_keys, texts
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights
from recall_plugin.domain.journal.events import (
    ArchiveNoted,
    Asserted,
    Claim,
    EntityKept,
    Event,
    Named,
    NewerEvent,
    Place,
    PolicySet,
    Printed,
    Retrieved,
    SessionNoted,
    Verdict,
    parse,
    written,
)
from recall_plugin.domain.journal.fields import InvalidEvent
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import RelationKey

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
USES = RelationKey("a1", "USES", "b2")
CLAIM = Claim(
    Named("a1", "api", EntityType.SERVICE), "USES", Named("b2", "Kestrel", EntityType.TOOL),
    Stance.SUPPORTS, ExtractionContext.EXPLICIT, Provenance.USER, "s-1", NOON, "person",
    quote="we use it", place=Place(1, 2, 3, 12), description="why", project="harbor", replaces=USES,
)  # fmt: skip
FULL: tuple[Event, ...] = (
    EntityKept("a1", "api", EntityType.SERVICE, "person", ("API",), "a", "b", "c", {"port": "22"}, "harbor"),
    CLAIM,
    Asserted(USES, 0.5, "person"),
    Verdict(USES, "wrong", NOON, "person"),
    PolicySet(ProvenanceWeights(2.0, 1.0, 0.5), "session"),
    SessionNoted("s-1", "failed", 1, 2, 3, "session", "why"),
    ArchiveNoted(1, "failed", "e663", 2, 3, 1, "minilm", 0.5, "why"),
    Printed("5d1c0b6d9f0e4f6c", "query", ("a1",), ("c3",), ((1, 0),)),
    Retrieved(NOON, {"a1": 1}, ((1, 0, 2),)),
)
NO_NUMBER = [None, True, "1", math.nan, math.inf, -math.inf, 10**400, [], {}]
WRONG: dict[type, list[object]] = {
    str: [None, True, 7, 1.5, math.nan, 10**400, [], ["x"], {}],
    int: [*NO_NUMBER, 1.5, -1, LARGEST + 1],
    float: NO_NUMBER,
    list: [None, True, 7, "x", math.nan, {}, [None], [7], [[]], [[None, 1]], [math.nan]],
    dict: [None, True, 7, "x", math.nan, [], {"": None}, {"x": []}, {"x": math.nan}],
}

whole = st.one_of(st.integers(0, 4), st.just(LARGEST))
every_event: st.SearchStrategy[Event] = st.one_of(
    entities,
    claims,
    st.builds(Asserted, relation_keys, st.floats(0, 1), names),
    st.builds(Verdict, relation_keys, st.sampled_from(sorted(Verdict.VERDICTS)), instants, names),
    st.builds(
        PolicySet,
        st.builds(ProvenanceWeights, *[st.floats(0, allow_infinity=False)] * 3),
        st.sampled_from(sorted(PolicySet.SELF_ORIGINS)),
    ),
    st.builds(
        SessionNoted,
        texts,
        st.sampled_from(sorted(SessionNoted.STAGES)),
        st.none() | st.integers(1, LARGEST),
        whole,
        whole,
        texts,
        texts,
    ),
    st.builds(
        ArchiveNoted,
        st.integers(1, LARGEST),
        st.sampled_from(sorted(ArchiveNoted.STAGES)),
        texts,
        whole,
        whole,
        whole,
        texts,
        st.floats(allow_nan=False, allow_infinity=False),
        texts,
    ),
    st.builds(
        Printed,
        texts,
        names,
        st.lists(keys).map(tuple),
        st.lists(names).map(tuple),
        st.lists(st.tuples(whole, whole)).map(tuple),
    ),
    st.builds(
        Retrieved,
        instants,
        st.dictionaries(texts, st.integers(1, LARGEST)),
        st.lists(st.tuples(whole, whole, st.integers(1, LARGEST))).map(tuple),
    ),
)
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.just(10**400)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def through_json(event: Event) -> Event:
    """The event after it was written to a line and read back."""
    line: dict[str, Any] = json.loads(json.dumps(written(event), ensure_ascii=False))
    return parse(line.pop("kind"), line.pop("v"), line)


def line_of(event: Event) -> dict[str, Any]:
    """The event's own fields, as JSON gives them."""
    line: dict[str, Any] = json.loads(json.dumps(written(event)))
    return {name: value for name, value in line.items() if name not in {"kind", "v"}}


def required(event: Event) -> set[str]:
    """The names of the fields that nothing can be read without."""
    optional = {
        "entity": {"aliases", "abstract", "overview", "content", "attributes", "project"},
        "claim": {"archive", "span", "quote", "description", "project", "replaces"},
        "session": {"session", "archive", "messages", "tools", "source", "reason"},
        "archive": {"content", "episodes", "windows", "chunker", "model", "seconds", "reason"},
        "print": {"print", "entities", "relations", "episodes"},
        "retrieved": {"entities", "episodes"},
    }
    return set(line_of(event)) - optional.get(event.KIND, set())


def with_field(event: Event, path: tuple[str, ...], value: object) -> Mapping[str, object]:
    """The event's line with another value at the path."""
    line = line_of(event)
    inner = line
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return line


def paths(value: Mapping[str, Any], before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Where anything stands in the line, in objects of fixed fields too."""
    found = []
    for name, inner in value.items():
        found.append((*before, name))
        if name in {"source", "target", "weights"} and isinstance(inner, dict):
            found += paths(inner, (*before, name))
    return found


def at(line: Mapping[str, Any], path: tuple[str, ...]) -> object:
    value: Any = line
    for name in path:
        value = value[name]
    return value


FIELDS = [(event, path) for event in FULL for path in paths(line_of(event))]


def named(one: object) -> str | None:
    if isinstance(one, tuple):
        return ".".join(one)
    return getattr(one, "KIND", None)


def test_the_full_events_are_of_every_kind() -> None:
    assert {type(event) for event in FULL} == set(get_args(Event))


@given(every_event)
def test_an_event_is_read_back_from_its_line_as_it_was(event: Event) -> None:
    assert through_json(event) == event


@pytest.mark.parametrize("event", FULL, ids=named)
def test_an_event_with_something_in_every_field_is_read_back_as_it_was(event: Event) -> None:
    assert through_json(event) == event


def test_what_is_empty_is_not_written() -> None:
    assert written(EntityKept("a1", "api", EntityType.SERVICE, "agent")) == {
        "kind": "entity", "v": 1, "key": "a1", "name": "api", "type": "service", "by": "agent"
    }  # fmt: skip


def test_an_instant_of_another_zone_is_written_as_the_same_one_in_utc() -> None:
    event = Verdict(USES, "wrong", datetime.fromisoformat("2026-03-06T23:30:00-05:00"), "person")

    assert written(event)["occurred_at"] == "2026-03-07T04:30:00.000Z"
    assert through_json(event) == event


@pytest.mark.parametrize("kind", ["", "blank", "Claim", "dream"])
def test_an_unknown_kind_is_a_newer_programs(kind: str) -> None:
    with pytest.raises(NewerEvent, match="unknown kind"):
        parse(kind, 1, {})


@pytest.mark.parametrize("event", FULL, ids=named)
def test_a_newer_version_is_a_newer_programs_whatever_stands_in_it(event: Event) -> None:
    with pytest.raises(NewerEvent, match=f"'{event.KIND}' of version {event.VERSION + 1}"):
        parse(event.KIND, event.VERSION + 1, {})


@pytest.mark.parametrize(("event", "path"), FIELDS, ids=named)
def test_a_field_of_a_wrong_type_is_refused_by_its_name(event: Event, path: tuple[str, ...]) -> None:
    for wrong in WRONG[type(at(line_of(event), path))]:
        with pytest.raises(InvalidEvent) as refused:
            parse(event.KIND, event.VERSION, with_field(event, path, wrong))

        told = str(refused.value).partition(":")[0]
        assert told == ".".join(path) or told.startswith(".".join(path) + "."), wrong


@pytest.mark.parametrize("event", FULL, ids=named)
def test_a_missing_field_is_refused_by_its_name_where_it_is_required(event: Event) -> None:
    for name in line_of(event):
        line = {key: value for key, value in line_of(event).items() if key != name}
        if name not in required(event):
            parse(event.KIND, event.VERSION, line)
            continue
        with pytest.raises(InvalidEvent) as refused:
            parse(event.KIND, event.VERSION, line)

        assert str(refused.value).startswith((f"{name}:", f"{name}.")), name


@pytest.mark.parametrize(
    ("event", "path", "value"),
    [
        (FULL[0], ("type",), "gadget"),
        (FULL[0], ("name",), ""),
        (FULL[0], ("aliases",), [""]),
        (CLAIM, ("source", "key"), ""),
        (CLAIM, ("target", "type"), "Tool"),
        (CLAIM, ("relation",), "uses"),
        (CLAIM, ("relation",), "X" * 65),
        (CLAIM, ("stance",), "doubts"),
        (CLAIM, ("context",), "certain"),
        (CLAIM, ("origin",), ""),
        (CLAIM, ("occurred_at",), "yesterday"),
        (CLAIM, ("occurred_at",), "0001-01-01T00:00:00+14:00"),
        (CLAIM, ("archive",), 0),
        (CLAIM, ("span",), [1, 2, 3]),
        (CLAIM, ("span",), [9, 3]),
        (CLAIM, ("span",), [3, 3]),
        (CLAIM, ("span",), [-1, 3]),
        (CLAIM, ("span",), []),
        (CLAIM, ("replaces",), ["a1", "USES"]),
        (CLAIM, ("replaces",), ["a1", "uses", "b2"]),
        (FULL[2], ("about",), []),
        (FULL[2], ("about",), ["a1", "-", "b2"]),
        (FULL[2], ("mean",), -0.1),
        (FULL[2], ("mean",), 1.1),
        (FULL[3], ("verdict",), "maybe"),
        (FULL[4], ("weights",), {"external": 1.0, "user": -0.8, "self": 0.0}),
        (FULL[4], ("self_origin",), "turn"),
        (FULL[5], ("stage",), "ingested"),
        (FULL[6], ("stage",), "archived"),
        (FULL[7], ("episodes",), [[1, 0, 1]]),
        (FULL[8], ("episodes",), [[1, 0]]),
        (FULL[8], ("episodes",), [[1, 0, 0]]),
        (FULL[8], ("entities",), {"a1": 0}),
    ],
    ids=lambda one: named(one) or repr(one)[:20],
)
def test_a_value_that_makes_no_sense_is_refused_by_its_name(event: Event, path: tuple[str, ...], value: object) -> None:
    with pytest.raises(InvalidEvent) as refused:
        parse(event.KIND, event.VERSION, with_field(event, path, value))

    assert str(refused.value).startswith(".".join(path) + ":")


def test_a_turn_is_required_where_an_archive_is_named() -> None:
    line = {name: value for name, value in line_of(CLAIM).items() if name != "turn"}

    with pytest.raises(InvalidEvent, match=r"^turn:"):
        parse("claim", 1, line)


def test_a_reason_stays_short_however_long_the_value_is() -> None:
    with pytest.raises(InvalidEvent) as refused:
        parse("claim", 1, with_field(CLAIM, ("relation",), "a" + " " * 100_000 + "b"))

    assert len(str(refused.value)) < 200


def test_an_unknown_class_reads_as_the_agents() -> None:
    event = parse("claim", 1, with_field(CLAIM, ("class",), "oracle"))

    assert isinstance(event, Claim)
    assert event.provenance is Provenance.SELF


def test_fields_that_are_not_known_are_passed_over() -> None:
    assert parse("claim", 1, with_field(CLAIM, ("mood",), "sunny")) == CLAIM


@given(event=st.sampled_from(FULL), data=st.data())
def test_whatever_stands_in_the_fields_an_event_is_refused_or_can_be_written_again(
    event: Event, data: st.DataObject
) -> None:
    line = line_of(event)
    name = st.sampled_from(sorted(line))
    kept = data.draw(st.sets(name))
    line = {name: line[name] for name in kept} | data.draw(st.dictionaries(name | texts, anything, max_size=3))
    found: Event | None = None
    told = ""
    try:
        found = parse(event.KIND, event.VERSION, line)
    except InvalidEvent as refused:
        told = str(refused)

    if found is None:
        assert told.partition(":")[0].partition(".")[0] in line_of(event)
    else:
        assert through_json(found) == found


@pytest.mark.parametrize(
    "event",
    [
        replace(CLAIM, relation="uses"),
        replace(CLAIM, origin=""),
        replace(CLAIM, place=Place(0, 1)),
        replace(CLAIM, place=Place(1, 2, 5)),
        replace(CLAIM, replaces=RelationKey("a1", "uses", "b2")),
        EntityKept("", "api", EntityType.TOOL, "person"),
        EntityKept("a1", "api", EntityType.TOOL, "person", aliases=("",)),
        Asserted(USES, math.nan, "person"),
        Asserted(RelationKey("a1", "USES", ""), 0.5, "person"),
        Verdict(USES, "perhaps", NOON, "person"),
        SessionNoted("s-1", "lost"),
        ArchiveNoted(0, "ingested"),
        ArchiveNoted(1, "ingested", seconds=math.inf),
        ArchiveNoted(1, "ingested", episodes=-1),
        Printed("", ""),
        Retrieved(NOON, {"a1": 0}),
    ],
    ids=named,
)
def test_what_could_not_be_read_back_is_not_written(event: Event) -> None:
    with pytest.raises(InvalidEvent):
        written(event)
