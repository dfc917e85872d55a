"""What claims come to: an origin counts once, the agent's word is one origin, and the clock is set by others only."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from folding import BY_SESSION, LISTENS, LISTENS_NOW, NEW_PORT, believed, day, folded, judged, said
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights
from recall_plugin.domain.journal.events import SELF, Asserted, Claim, PolicySet
from recall_plugin.domain.knowledge.relation import Relation, TallyKey

VECTORS = json.loads((Path(__file__).parents[3] / "data" / "evidence.json").read_text())
CONTEXTS = {context.prior: context for context in ExtractionContext}
EXTERNAL, USER, AGENT = Provenance.EXTERNAL, Provenance.USER, Provenance.SELF

first_claims = st.builds(
    said,
    st.just("first"),
    st.sampled_from(Provenance),
    on=st.integers(0, 9),
    denied=st.booleans(),
    context=st.sampled_from(ExtractionContext),
)


def _claim(origin: str, provenance: Provenance, on: int, denied: bool) -> Claim:
    return said(origin, provenance, on=on, denied=denied)


claims = st.builds(_claim, st.sampled_from("abc"), st.sampled_from(Provenance), st.integers(-9, 9), st.booleans())
independent = st.lists(
    claims, max_size=8, unique_by=lambda claim: (claim.origin, claim.stance, claim.provenance is AGENT)
)


def counts(relation: Relation) -> tuple[float, float]:
    return relation.evidence.alpha, relation.evidence.beta


def close_to(alpha: float, beta: float) -> Any:
    return pytest.approx((alpha, beta), abs=1e-9)


@pytest.mark.parametrize("sequence", VECTORS["sequences"], ids=lambda sequence: sequence["name"])
def test_claims_of_distinct_origins_come_to_the_agreed_numbers(sequence: dict[str, Any]) -> None:
    weights = ProvenanceWeights.uniform(1.0) if sequence.get("weights") else ProvenanceWeights()
    policy = PolicySet(weights, "session")
    events = [said("first", context=CONTEXTS[sequence["prior_mean"]])]
    origins = count()
    for expected in sequence["trace"]:
        while len(events) <= expected["step"]:
            denied = expected["event"] == "contradict"
            events.append(said(f"o{next(origins)}", Provenance(expected["provenance"]), denied=denied))
        evidence = believed(*events, policy=policy).evidence

        for name in ("alpha", "beta", "mean", "concentration", "variance"):
            assert getattr(evidence, name) == pytest.approx(expected[name], abs=1e-9), (expected["step"], name)
        assert evidence.self_reinforcements == expected["self_reinforcements"]


@pytest.mark.parametrize("provenance", Provenance)
@pytest.mark.parametrize("context", ExtractionContext)
def test_the_claim_that_makes_a_relation_sets_its_prior_and_adds_nothing(
    context: ExtractionContext, provenance: Provenance
) -> None:
    relation = believed(said("doc", provenance, context=context, on=3))

    assert relation.evidence == Evidence.from_prior(context.prior)
    assert (relation.context, relation.valid_from) == (context, day(3))
    assert (relation.origins, relation.mentions) == (1, 1)
    assert relation.last_reinforced is None


@pytest.mark.parametrize(
    ("context", "mean"), [("authoritative", 0.0), ("explicit", 0.1), ("inferred", 0.4), ("speculative", 0.3)]
)
def test_a_relation_that_is_first_denied_begins_at_the_lower_mean(context: str, mean: float) -> None:
    relation = believed(said(denied=True, context=ExtractionContext(context)))

    assert relation.evidence.mean == pytest.approx(mean, abs=1e-9)
    assert relation.evidence.concentration == pytest.approx(10, abs=1e-9)
    assert (relation.origins, relation.mentions, relation.denials, relation.denying_mentions) == (0, 0, 1, 1)
    assert relation.last_said is None


def test_the_origin_that_made_a_relation_is_used_up_in_whatever_class_it_comes_back() -> None:
    relation = believed(said("s-1", USER), said("s-1", USER, on=1), said("s-1", EXTERNAL, on=2))

    assert counts(relation) == close_to(6, 4)
    assert (relation.origins, relation.mentions) == (1, 3)
    assert relation.last_reinforced is None


def test_the_origin_that_made_a_relation_counts_when_it_speaks_against_it() -> None:
    relation = believed(said("s-1", USER), said("s-1", USER, denied=True))

    assert counts(relation) == close_to(6, 4.8)
    assert (relation.origins, relation.denials) == (1, 1)


def test_an_origin_counts_once_for_a_stance_and_every_statement_is_a_mention() -> None:
    relation = believed(
        said("first"),
        *[said("doc", on=on) for on in range(5)],
        *[said("s-1", USER, denied=True) for _ in range(3)],
    )

    assert counts(relation) == close_to(7, 4.8)
    assert (relation.origins, relation.mentions) == (2, 6)
    assert (relation.denials, relation.denying_mentions) == (1, 3)


def test_an_origin_counts_for_each_relation_that_it_speaks_of() -> None:
    ledger = folded(said("first"), said("first", target=NEW_PORT), said("doc"), said("doc", target=NEW_PORT))

    assert [counts(ledger.relations[key]) for key in (LISTENS, LISTENS_NOW)] == [close_to(7, 4), close_to(7, 4)]


def test_an_origin_that_comes_back_in_a_stronger_class_adds_the_difference_once() -> None:
    upgraded = [said("first"), said("doc", USER), said("doc", EXTERNAL)]
    again = [*upgraded, said("doc", EXTERNAL), said("doc", USER)]

    assert counts(believed(*upgraded[:2])) == close_to(6.8, 4)
    assert counts(believed(*upgraded)) == close_to(7, 4)
    assert counts(believed(*again)) == close_to(7, 4)


def test_an_origin_that_comes_back_in_a_weaker_class_takes_nothing_away() -> None:
    assert counts(believed(said("first"), said("doc", EXTERNAL), said("doc", USER))) == close_to(7, 4)


def test_a_tally_tells_what_its_origin_said() -> None:
    ledger = folded(said("first"), said("doc", USER, on=4), said("doc", EXTERNAL, on=2), said("doc", USER, on=8))
    made, doc = (ledger.tallies[TallyKey(LISTENS, Stance.SUPPORTS, origin)] for origin in ("first", "doc"))

    assert (made.makes, made.counted, made.mentions) == (True, 0.0, 1)
    assert (doc.makes, doc.counted, doc.mentions) == (False, pytest.approx(1.0), 3)
    assert (doc.provenance, doc.first_at, doc.last_at, doc.number) == (EXTERNAL, day(2), day(8), 5)


def test_the_agent_is_one_origin_for_ever_and_every_mention_is_tallied() -> None:
    relation = believed(said("first"), *[said(f"s-{on}", AGENT, on=on) for on in range(20)])

    assert counts(relation) == close_to(6.05, 4)
    assert relation.evidence.self_reinforcements == 20
    assert (relation.origins, relation.mentions) == (2, 21)


def test_the_agents_contradictions_are_one_origin_and_are_not_tallied() -> None:
    relation = believed(said("first"), *[said(f"s-{on}", AGENT, denied=True) for on in range(20)])

    assert counts(relation) == close_to(6, 4.05)
    assert relation.evidence.self_reinforcements == 0
    assert (relation.denials, relation.denying_mentions) == (1, 20)


def test_what_the_agent_made_it_reinforces_by_nothing() -> None:
    ledger = folded(said("s-1", AGENT), said("s-2", AGENT), said("s-3", AGENT))
    relation = ledger.relations[LISTENS]

    assert counts(relation) == close_to(6, 4)
    assert relation.evidence.self_reinforcements == 2
    assert {key.origin for key in ledger.tallies} == {SELF}


def test_with_an_origin_for_each_session_the_agents_word_adds_up() -> None:
    sessions = [said(f"s-{on}", AGENT, on=on) for on in range(20)]
    contradicted = believed(said("first"), *sessions, said("doc", denied=True), policy=BY_SESSION)

    assert counts(believed(said("first"), *sessions, policy=BY_SESSION)) == close_to(7, 4)
    assert counts(contradicted) == close_to(7, 5)
    assert contradicted.evidence.mean < 0.6
    assert contradicted.evidence.self_reinforcements == 20
    assert contradicted.last_reinforced is None


def test_with_an_origin_for_each_session_a_session_counts_once() -> None:
    relation = believed(said("first"), *[said("s-1", AGENT)] * 5, policy=BY_SESSION)

    assert counts(relation) == close_to(6.05, 4)
    assert relation.evidence.self_reinforcements == 5


def test_a_person_in_the_session_in_which_the_agent_spoke_adds_the_difference_and_sets_the_clock_once() -> None:
    spoken = [said("first"), said("s-1", AGENT, on=1), said("s-1", USER, on=2), said("s-1", USER, on=5)]
    for weights in (ProvenanceWeights(), ProvenanceWeights.uniform(0.8)):
        relation = believed(*spoken, policy=PolicySet(weights, "session"))

        assert counts(relation) == close_to(6.8, 4)
        assert relation.last_reinforced == day(2)


def test_the_clock_is_set_by_a_new_origins_support_to_the_time_of_the_words() -> None:
    relation = believed(said("first", on=0), said("doc", on=5), said("s-1", USER, on=7))

    assert relation.last_reinforced == day(7)


def test_the_clock_is_set_once_by_an_origin() -> None:
    assert believed(said("first"), said("doc", on=5), said("doc", on=9)).last_reinforced == day(5)


def test_the_clock_is_not_set_by_the_origin_that_made_the_relation_in_whatever_class() -> None:
    relation = believed(said("s-1", AGENT), said("s-1", USER, on=4), policy=BY_SESSION)

    assert relation.last_reinforced is None
    assert counts(relation) == close_to(6, 4)


def test_the_clock_never_goes_back() -> None:
    assert believed(said("first"), said("new", on=9), said("old", on=2)).last_reinforced == day(9)


def test_the_clock_is_set_neither_by_the_agent_nor_by_a_contradiction() -> None:
    relation = believed(said("first"), said("doc", on=2), said("s", AGENT, on=5), said("other", denied=True, on=6))

    assert relation.last_reinforced == day(2)
    assert relation.last_said == day(5)


def test_a_weight_of_nothing_changes_no_count() -> None:
    policy = PolicySet(ProvenanceWeights(1.0, 0.8, 0.0))
    relation = believed(said("first"), said("s", AGENT), said("s", AGENT, denied=True), policy=policy)

    assert relation.evidence == Evidence(6, 4, 1)


@given(first=first_claims, rest=independent, data=st.data())
def test_the_order_of_independent_observations_after_the_first_does_not_matter(
    first: Claim, rest: list[Claim], data: st.DataObject
) -> None:
    one, other = believed(first, *rest), believed(first, *data.draw(st.permutations(rest)))

    assert counts(one) == close_to(*counts(other))
    for name in ("last_reinforced", "last_said", "origins", "mentions", "denials", "denying_mentions"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.evidence.self_reinforcements == other.evidence.self_reinforcements


@given(first=first_claims, rest=st.lists(claims, max_size=12), session=st.booleans(), data=st.data())
def test_the_counts_do_not_depend_on_the_order_in_which_an_origin_speaks_in_its_classes(
    first: Claim, rest: list[Claim], session: bool, data: st.DataObject
) -> None:
    policy = BY_SESSION if session else PolicySet()
    one = believed(first, *rest, policy=policy)
    other = believed(first, *data.draw(st.permutations(rest)), policy=policy)

    assert counts(one) == close_to(*counts(other))


@given(first=first_claims, rest=st.lists(claims, max_size=12))
def test_the_counts_are_the_prior_and_each_origins_strongest_class(first: Claim, rest: list[Claim]) -> None:
    relation = believed(first, *rest)
    weights = ProvenanceWeights()
    strongest: dict[tuple[Stance, str], float] = {}
    made_by = (first.stance, SELF if first.provenance is AGENT else first.origin)
    for claim in rest:
        speaker = (claim.stance, SELF if claim.provenance is AGENT else claim.origin)
        if speaker != made_by:
            strongest[speaker] = max(strongest.get(speaker, 0.0), weights.of(claim.provenance))
    mean = first.context.prior
    if first.stance is Stance.CONTRADICTS:
        mean = min(mean, 1 - mean)

    for_it, against = (sum(w for (s, _), w in strongest.items() if s is stance) for stance in Stance)
    assert counts(relation) == close_to(10 * mean + for_it, 10 * (1 - mean) + against)
    assert relation.mentions + relation.denying_mentions == 1 + len(rest)


def test_a_mean_that_is_set_replaces_the_counts_and_what_comes_later_counts_from_there() -> None:
    before = [said("first"), said("doc"), said("s", AGENT), Asserted(LISTENS, 0.2, "person")]
    later = believed(*before, said("doc"), said("s-1", USER))

    assert counts(believed(*before)) == close_to(2, 8)
    assert counts(later) == close_to(2.8, 8)
    assert later.evidence.self_reinforcements == 1
    assert (later.origins, later.mentions) == (4, 5)


def test_a_verdict_changes_no_count() -> None:
    claims = [said("first"), said("doc")]

    for verdict in ("wrong", "confirmed", "lifted"):
        assert believed(*claims, judged(verdict)).evidence == believed(*claims).evidence


def test_the_first_description_and_the_project_of_the_first_claim_stand() -> None:
    relation = believed(
        said("first", project="harbor"),
        said("doc", description="in compose.yml", project="quay"),
        said("x", description="?"),
    )

    assert (relation.description, relation.project) == ("in compose.yml", "harbor")
