"""Counts accumulate, corrupt ones read as nothing, and what is computed from them is what mathematics says."""

from __future__ import annotations

import json
import math
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import PRIOR_CONCENTRATION, Evidence, ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights

VECTORS = json.loads((Path(__file__).parents[3] / "data" / "evidence.json").read_text())
STANCES = {"corroborate": Stance.SUPPORTS, "contradict": Stance.CONTRADICTS}

means = st.floats(0, 1)
counts = st.floats(0, 1e6)
observation = st.tuples(st.sampled_from(Stance), st.sampled_from(Provenance))
observations = st.lists(observation, max_size=30)
weights = st.builds(ProvenanceWeights, *[st.floats(0, 100)] * 3)
anything = st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(), st.just(10**400))


def observe_all(
    evidence: Evidence, seen: list[tuple[Stance, Provenance]], weighed: ProvenanceWeights | None = None
) -> Evidence:
    weighed = weighed or ProvenanceWeights()
    return reduce(lambda sum_, one: sum_.observe(*one, weighed), seen, evidence)


def same_counts(one: Evidence, other: Evidence) -> bool:
    return one.alpha == pytest.approx(other.alpha, abs=1e-9) and one.beta == pytest.approx(other.beta, abs=1e-9)


@pytest.mark.parametrize("sequence", VECTORS["sequences"], ids=lambda sequence: sequence["name"])
def test_a_sequence_of_observations_has_the_counts_it_should(sequence: dict) -> None:
    weighed = ProvenanceWeights.uniform(1.0) if sequence.get("weights") else ProvenanceWeights()
    evidence = Evidence.from_prior(sequence["prior_mean"])
    step = 0
    for expected in sequence["trace"]:
        while step < expected["step"]:
            evidence = evidence.observe(STANCES[expected["event"]], Provenance(expected["provenance"]), weighed)
            step += 1

        for name in ("alpha", "beta", "mean", "concentration", "variance"):
            assert getattr(evidence, name) == pytest.approx(expected[name], abs=1e-9), (step, name)
        assert evidence.self_reinforcements == expected["self_reinforcements"]


def test_the_constants_are_the_agreed_ones() -> None:
    constants = VECTORS["constants"]

    assert constants["prior_concentration"] == PRIOR_CONCENTRATION
    assert {str(context): context.prior for context in ExtractionContext} == constants["prior_means"]
    assert {str(one): ProvenanceWeights().of(one) for one in Provenance} == constants["weights"]


@pytest.mark.parametrize("stored", [None, "", "Explicit", "certain", 0.9])
def test_an_absent_or_unknown_context_is_inferred(stored: object) -> None:
    assert ExtractionContext.of(stored) is ExtractionContext.INFERRED


@pytest.mark.parametrize("context", ExtractionContext)
def test_a_stored_context_is_read_back(context: ExtractionContext) -> None:
    assert ExtractionContext.of(str(context)) is context


def test_of_two_contexts_the_less_sure_one_holds() -> None:
    ordered = list(ExtractionContext)

    for at, surer in enumerate(ordered):
        for less_sure in ordered[at:]:
            assert surer.at_most(less_sure) is less_sure
            assert less_sure.at_most(surer) is less_sure


@given(prior=means, seen=observations, weighed=weights)
def test_a_mean_lies_between_0_and_1_whatever_was_observed(
    prior: float, seen: list[tuple[Stance, Provenance]], weighed: ProvenanceWeights
) -> None:
    evidence = observe_all(Evidence.from_prior(prior), seen, weighed)

    assert 0 <= evidence.mean <= 1
    assert 0 <= evidence.variance <= 0.25


@given(alpha=anything, beta=anything, tally=anything)
def test_any_stored_values_make_counts_that_can_be_used(alpha: object, beta: object, tally: object) -> None:
    evidence = Evidence(alpha, beta, tally)

    assert 0 <= evidence.alpha < math.inf
    assert 0 <= evidence.beta < math.inf
    assert isinstance(evidence.self_reinforcements, int)
    assert evidence.self_reinforcements >= 0
    assert 0 <= evidence.mean <= 1
    assert 0 <= evidence.variance <= 0.25
    assert all(0 <= bound <= 1 for bound in evidence.interval())


@pytest.mark.parametrize("corrupt", [-1.0, -0.1, math.nan, math.inf, -math.inf, None, "7", True, [3], 10**400])
def test_a_corrupt_count_reads_as_0(corrupt: object) -> None:
    assert Evidence(corrupt, 4.0, corrupt) == Evidence(0.0, 4.0, 0)
    assert Evidence(6.0, corrupt) == Evidence(6.0, 0.0)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, -math.inf])
def test_a_weight_that_is_none_records_nothing(weight: float) -> None:
    evidence = Evidence(6, 4)

    assert evidence.corroborate(weight) == evidence
    assert evidence.contradict(weight) == evidence


@given(seen=observations)
def test_weights_of_zero_change_no_count(seen: list[tuple[Stance, Provenance]]) -> None:
    before = Evidence.from_prior(0.6)
    after = observe_all(before, seen, ProvenanceWeights.uniform(0))

    assert (after.alpha, after.beta, after.mean) == (before.alpha, before.beta, before.mean)
    assert after.self_reinforcements == seen.count((Stance.SUPPORTS, Provenance.SELF))


@given(prior=means, data=st.data(), seen=observations, weighed=weights)
def test_the_order_of_observations_does_not_matter(
    prior: float, data: st.DataObject, seen: list[tuple[Stance, Provenance]], weighed: ProvenanceWeights
) -> None:
    shuffled = data.draw(st.permutations(seen))
    one = observe_all(Evidence.from_prior(prior), seen, weighed)
    other = observe_all(Evidence.from_prior(prior), shuffled, weighed)

    assert same_counts(one, other)
    assert one.mean == pytest.approx(other.mean, abs=1e-9)
    assert one.self_reinforcements == other.self_reinforcements


@given(prior=means, stances=st.lists(st.sampled_from(Stance)), weight=st.floats(0, 10), data=st.data())
def test_uniform_weights_are_blind_to_provenance(
    prior: float, stances: list[Stance], weight: float, data: st.DataObject
) -> None:
    classes = data.draw(st.lists(st.sampled_from(Provenance), min_size=len(stances), max_size=len(stances)))
    uniform = ProvenanceWeights.uniform(weight)
    mixed = observe_all(Evidence.from_prior(prior), list(zip(stances, classes, strict=True)), uniform)
    external = observe_all(Evidence.from_prior(prior), [(stance, Provenance.EXTERNAL) for stance in stances], uniform)

    assert (mixed.alpha, mixed.beta) == (external.alpha, external.beta)


@given(prior=st.floats(0.3, 1, exclude_max=True))
def test_variance_narrows_over_1_5_and_50_corroborations(prior: float) -> None:
    after = [
        observe_all(Evidence.from_prior(prior), [(Stance.SUPPORTS, Provenance.EXTERNAL)] * count).variance
        for count in (1, 5, 50)
    ]

    assert after[0] > after[1] > after[2]


@given(prior=st.floats(0.51, 1))
def test_one_external_contradiction_outweighs_twenty_self_corroborations_of_what_was_likely(prior: float) -> None:
    before = Evidence.from_prior(prior)
    repeated = observe_all(before, [(Stance.SUPPORTS, Provenance.SELF)] * 20)
    contradicted = repeated.observe(Stance.CONTRADICTS, Provenance.EXTERNAL)

    assert contradicted.mean < before.mean
    assert contradicted.self_reinforcements == 20


def test_the_agents_support_is_tallied_and_its_contradiction_is_not() -> None:
    evidence = Evidence.from_prior(0.6)

    assert evidence.observe(Stance.SUPPORTS, Provenance.SELF).self_reinforcements == 1
    assert evidence.observe(Stance.CONTRADICTS, Provenance.SELF).self_reinforcements == 0
    assert evidence.observe(Stance.SUPPORTS, Provenance.USER).self_reinforcements == 0


@given(one=observation)
def test_a_mention_is_tallied_like_an_observation_and_weighs_nothing(one: tuple[Stance, Provenance]) -> None:
    evidence = Evidence.from_prior(0.6)
    mentioned = evidence.mention(*one)

    assert (mentioned.alpha, mentioned.beta) == (evidence.alpha, evidence.beta)
    assert mentioned.self_reinforcements == evidence.observe(*one).self_reinforcements


@given(mean=means)
def test_a_prior_keeps_its_mean_at_the_prior_concentration(mean: float) -> None:
    evidence = Evidence.from_prior(mean)

    assert evidence.mean == pytest.approx(mean, abs=1e-12)
    assert evidence.concentration == pytest.approx(10, abs=1e-12)


@pytest.mark.parametrize(
    ("mean", "held"), [(1.2, 1.0), (-0.3, 0.0), (math.nan, 0.5), (math.inf, 0.5), (None, 0.5), ("0.9", 0.5)]
)
def test_a_prior_mean_out_of_range_is_held_and_an_unreadable_one_tells_nothing(mean: object, held: float) -> None:
    assert Evidence.from_prior(mean) == Evidence(10 * held, 10 * (1 - held))


@pytest.mark.parametrize(("context_mean", "denied"), [(1.0, 0.0), (0.9, 0.1), (0.6, 0.4), (0.3, 0.3), (math.nan, 0.5)])
def test_a_denied_prior_is_never_more_than_even(context_mean: float, denied: float) -> None:
    evidence = Evidence.from_denial(context_mean)

    assert evidence.mean == pytest.approx(denied, abs=1e-12)
    assert evidence.concentration == pytest.approx(10, abs=1e-12)


def test_a_record_with_a_mean_only_is_backfilled_and_one_with_counts_is_not() -> None:
    assert Evidence.from_stored(0.9, None, None, None) == Evidence.from_prior(0.9)
    assert Evidence.from_stored(0.9, 5.0, None, 3) == Evidence(9.0, (1 - 0.9) * 10, 3)
    assert Evidence.from_stored(0.9, 53.0, 7.0, 2) == Evidence(53.0, 7.0, 2)
    assert Evidence.from_stored(0.9, 53.0, math.nan, -1) == Evidence(53.0, 0.0, 0)


def test_without_evidence_nothing_is_known() -> None:
    nothing = Evidence()

    assert (nothing.mean, nothing.variance, nothing.concentration) == (0.5, 0.0, 0.0)
    assert nothing.interval() == (0.0, 1.0)


@given(count=st.floats(0.01, 1e6), mass=st.floats(0.01, 0.99))
def test_an_interval_is_one_sided_where_a_count_is_0(count: float, mass: float) -> None:
    low, high = Evidence(count, 0).interval(mass)
    mirrored = Evidence(0, count).interval(mass)

    assert low == pytest.approx((1 - mass) ** (1 / count), abs=1e-12)
    assert high == 1
    assert mirrored == (0, 1 - low)


def test_an_authoritative_prior_reaches_from_four_fifths_to_certainty() -> None:
    low, high = Evidence.from_prior(1.0).interval()

    assert low == pytest.approx(0.1 ** (1 / 10), abs=1e-9)
    assert high == 1


@given(alpha=st.floats(0.02, 1e6) | st.just(0.0), beta=st.floats(0.02, 1e6) | st.just(0.0))
def test_an_interval_holds_the_mean_unless_a_count_is_tiny(alpha: float, beta: float) -> None:
    evidence = Evidence(alpha, beta)
    low, high = evidence.interval()

    assert low - 1e-12 <= evidence.mean <= high + 1e-12


def test_an_interval_misses_the_mean_where_a_count_is_tiny() -> None:
    evidence = Evidence(10, 0.001)

    assert evidence.interval()[0] > evidence.mean


@given(alpha=st.floats(1, 1e4), beta=st.floats(1, 1e4), times=st.floats(1.01, 100))
def test_an_interval_narrows_as_evidence_of_the_same_tenor_grows(alpha: float, beta: float, times: float) -> None:
    low, high = Evidence(alpha, beta).interval()
    narrow_low, narrow_high = Evidence(alpha * times, beta * times).interval()

    assert narrow_high - narrow_low < high - low


@given(alpha=counts.filter(bool), beta=counts.filter(bool))
def test_an_interval_widens_with_its_mass(alpha: float, beta: float) -> None:
    narrow, wide = Evidence(alpha, beta).interval(0.5), Evidence(alpha, beta).interval(0.95)

    assert wide[0] <= narrow[0] + 1e-12
    assert narrow[1] <= wide[1] + 1e-12


@pytest.mark.parametrize("mass", [0.0, 1.0, -0.5, math.nan])
def test_an_interval_of_impossible_mass_is_refused(mass: float) -> None:
    for evidence in (Evidence(6, 4), Evidence(10, 0), Evidence()):
        with pytest.raises(ValueError, match="between 0 and 1"):
            evidence.interval(mass)
