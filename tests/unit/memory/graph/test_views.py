"""What is disputed or over stands below what is neither, and each relation says in words how sure it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from folding import LISTENS, LISTENS_NOW, NEW_PORT, apply_all, day, folded, judged, said
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import HAND, SELF, Claim, EntityKept, Place
from recall_plugin.domain.journal.fold import Ledger
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey
from recall_plugin.graph.store.knowledge import Observation
from recall_plugin.memory.graph.views import Sure, below_undisputed, observation_line, ranked, view

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SURE = Sure(NOW, 90.0)
USES = RelationKey("api", "USES", "kestrel")


def relation(key: RelationKey, evidence: Evidence | None = None, **more: object) -> Relation:
    made = Relation(key, 1, evidence or Evidence(9, 1), ExtractionContext.EXPLICIT)
    return replace(made, **more)  # type: ignore[arg-type]


def low(one: Relation) -> bool:
    return one.disputed or one.valid_until is not None


def keys(relations: list[Relation]) -> list[RelationKey]:
    return [one.key for one in relations]


@st.composite
def mixed(draw: st.DrawFn) -> list[Relation]:
    """Relations of few sources and types, some of them disputed, over, or replaced."""
    ends = st.tuples(st.sampled_from("ab"), st.sampled_from(["USES", "BUILDS"]), st.integers(0, 9).map(str))
    found = draw(st.lists(ends.map(lambda one: RelationKey(*one)), max_size=9, unique=True))
    times = st.none() | st.none() | st.just(day(0))
    return [
        relation(
            key,
            Evidence(draw(st.integers(1, 9)), draw(st.integers(0, 9))),
            disputed_at=draw(times),
            valid_until=draw(times),
            superseded_by=draw(st.none() | st.sampled_from(found)),
        )
        for key in found
    ]


def corrected(mentions: int) -> Ledger:
    """Many documents said port 22; the person said: no, 49222."""
    docs = [said(f"doc{number}", on=number % 30, context=ExtractionContext.EXPLICIT) for number in range(mentions)]
    return folded(
        *docs,
        said(HAND, Provenance.USER, on=90, denied=True),
        judged("wrong", 90),
        said(HAND, Provenance.USER, on=90, target=NEW_PORT, context=ExtractionContext.AUTHORITATIVE),
    )


@pytest.mark.parametrize("mentions", [1, 20, 500])
def test_a_corrected_relation_stands_under_the_persons_replacement_and_says_so(mentions: int) -> None:
    ledger = corrected(mentions)
    old, new = (view(one, ledger.entities, SURE) for one in (ledger.relations[LISTENS], ledger.relations[LISTENS_NOW]))

    assert keys(ranked(list(ledger.relations.values()), SURE)) == [LISTENS_NOW, LISTENS]
    assert old.line.startswith("api LISTENS_ON port 22 [")
    assert "(disputed by you on 2026-11-30, " in old.line
    assert new.line == "api LISTENS_ON port 49222"


def test_a_disputed_relation_of_twenty_mentions_survives_with_less_confidence() -> None:
    before = folded(*[said(f"doc{number}", context=ExtractionContext.EXPLICIT) for number in range(20)])
    evidence = corrected(20).relations[LISTENS].evidence

    assert 0.9 < evidence.mean < before.relations[LISTENS].evidence.mean


def test_a_disputed_relation_stands_below_a_faint_replacement() -> None:
    certain = relation(LISTENS, Evidence(1000, 0), disputed_at=day(0))
    faint = relation(LISTENS_NOW, Evidence(1, 9))

    assert keys(ranked([certain, faint], SURE)) == [LISTENS_NOW, LISTENS]


def test_what_is_over_stands_below_what_holds() -> None:
    over = relation(LISTENS, Evidence(1000, 0), valid_until=day(0))

    assert keys(ranked([over, relation(LISTENS_NOW, Evidence(1, 9))], SURE)) == [LISTENS_NOW, LISTENS]


def test_what_is_disputed_keeps_its_place_among_relations_of_another_type_or_source() -> None:
    disputed = relation(LISTENS, Evidence(1000, 0), disputed_at=day(0))
    others = [relation(USES, Evidence(1, 9)), relation(RelationKey("web", "LISTENS_ON", "22"), Evidence(1, 9))]

    assert keys(ranked([*others, disputed], SURE))[0] == LISTENS


def test_what_was_replaced_by_a_relation_of_another_type_stands_below_that() -> None:
    over = relation(LISTENS, Evidence(1000, 0), valid_until=day(0), superseded_by=USES)

    assert keys(ranked([over, relation(USES, Evidence(1, 9))], SURE)) == [USES, LISTENS]


@given(mixed())
def test_whatever_is_low_stands_below_its_rivals_and_nobody_is_lost(relations: list[Relation]) -> None:
    order = below_undisputed(relations)

    assert sorted(keys(order)) == sorted(keys(relations))
    for place, one in enumerate(order):
        for after in order[place + 1 :]:
            rivals = one.key[:2] == after.key[:2] or one.superseded_by == after.key
            assert not (low(one) and not low(after) and rivals)


@given(mixed())
def test_those_that_are_neither_disputed_nor_over_keep_their_order(relations: list[Relation]) -> None:
    order = below_undisputed(relations)

    assert [one for one in order if not low(one)] == [one for one in relations if not low(one)]


@given(mixed())
def test_low_ones_of_one_source_and_type_keep_their_order_where_none_was_replaced(relations: list[Relation]) -> None:
    unreplaced = [replace(one, superseded_by=None) for one in relations]
    order = below_undisputed(unreplaced)

    for group in {one.key[:2] for one in relations}:
        assert [one for one in order if low(one) and one.key[:2] == group] == [
            one for one in unreplaced if low(one) and one.key[:2] == group
        ]


@given(mixed())
def test_an_order_that_is_right_is_left_as_it_is(relations: list[Relation]) -> None:
    once = below_undisputed(relations)

    assert below_undisputed(once) == once


def test_relations_that_are_equally_sure_stay_in_the_order_in_which_they_came() -> None:
    equal = [relation(RelationKey("api", "USES", str(number))) for number in (3, 1, 2)]

    assert ranked(equal, SURE) == equal


def test_two_meanings_of_0_30_are_told_apart_and_the_better_evidenced_comes_first() -> None:
    faded = relation(LISTENS, Evidence(53, 7), last_reinforced=NOW - timedelta(days=140))
    speculative = relation(USES, Evidence(3, 7), valid_from=NOW)
    shown = [view(one, {}, SURE) for one in ranked([speculative, faded], SURE)]

    assert [one.mark for one in shown] == [" [30%]", " [30%]"]
    assert [one.standing for one in shown] == ["well evidenced, not confirmed for 140 days", "never confirmed"]


def test_what_is_certain_has_no_mark_however_old_it_is() -> None:
    assert view(relation(LISTENS, Evidence(10, 0), valid_from=NOW - timedelta(days=900)), {}, SURE).mark == ""
    assert view(relation(LISTENS, Evidence(17, 3)), {}, SURE).mark == " [85%]"


def test_a_line_says_until_when_it_held() -> None:
    over = relation(LISTENS, Evidence(10, 0), valid_until=day(4), disputed_at=day(5))

    assert view(over, {}, SURE).line == (
        "api LISTENS_ON 22 (disputed by you on 2026-09-06, never confirmed; until 2026-09-05)"
    )


def test_an_end_is_called_by_its_name_and_by_its_key_where_it_is_not_known() -> None:
    known = apply_all(Ledger(), [EntityKept("api", "The API", EntityType.SERVICE, "person")]).entities

    assert view(relation(LISTENS, Evidence(10, 0)), known, SURE).line == "The API LISTENS_ON 22"


def test_a_relation_as_json_has_its_numbers_and_who_replaced_it() -> None:
    over = relation(LISTENS, Evidence(8, 4.8, 2), valid_until=day(4), superseded_by=LISTENS_NOW, last_checked=day(3))
    shown = view(over, {}, SURE).to_json()

    # It has faded since it was checked, 88 days ago.
    assert (shown["confidence"], shown["effective"], shown["alpha"], shown["beta"]) == (0.625, 0.3161, 8, 4.8)
    assert shown["interval"] == [round(bound, 4) for bound in over.evidence.interval()]
    assert shown["self_reinforcements"] == 2
    assert (shown["valid_until"], shown["superseded_by"]) == ("2026-09-05T00:00:00.000Z", LISTENS_NOW.id)
    assert (shown["last_checked"], shown["disputed_at"]) == ("2026-09-04T00:00:00.000Z", None)


def test_words_of_long_ago_that_are_learned_late_take_nothing_away() -> None:
    said_today = relation(LISTENS, Evidence(9, 1), valid_from=NOW)
    also_long_ago = replace(said_today, last_reinforced=NOW - timedelta(days=400))

    assert SURE.effective(also_long_ago) == SURE.effective(said_today) == 0.9


def test_what_a_person_checked_is_as_sure_as_if_it_were_said_then() -> None:
    faded = relation(LISTENS, Evidence(10, 0), valid_from=NOW - timedelta(days=400))
    checked = replace(faded, last_checked=NOW)

    assert SURE.effective(faded) < 0.1
    assert SURE.effective(checked) == 1.0


def observed(claim: Claim) -> Observation:
    return Observation(
        1, claim.stance, claim.context, claim.provenance, claim.origin, claim.by, claim.quote, claim.place,
        claim.occurred_at, NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "who", "rest"),
    [
        (said(HAND, Provenance.USER), "by hand", ", 2026-09-01T00:00:00Z"),
        (said(SELF, Provenance.SELF), "the agent", ", 2026-09-01T00:00:00Z"),
        (said("docs.example/a"), "docs.example/a (external)", ", 2026-09-01T00:00:00Z"),
        (
            replace(said(HAND, Provenance.USER, denied=True), quote="no, 49222"),
            "denied: by hand",
            ", 2026-09-01T00:00:00Z: “no, 49222”",
        ),
        (
            replace(said("s-1", Provenance.SELF), place=Place(7, 3)),
            "conversation 007, turn 3, assistant",
            ", 2026-09-01T00:00:00Z",
        ),
    ],
)
def test_a_source_begins_with_who_said_it_or_where_and_ends_with_when(claim: Claim, who: str, rest: str) -> None:
    line = observation_line(observed(claim))

    assert line.startswith(who)
    assert line.endswith(rest)
