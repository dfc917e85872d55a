"""A class is worth what the weights say, and unknown voices are the agent's."""

from __future__ import annotations

import math

import pytest

from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights


def test_an_independent_source_weighs_more_than_the_person_and_the_agent_next_to_nothing() -> None:
    weights = ProvenanceWeights()

    assert [weights.of(provenance) for provenance in Provenance] == [1.0, 0.8, 0.05]


@pytest.mark.parametrize("stored", [None, "", "External", "tool", 1, "self"])
def test_an_absent_or_unknown_class_is_the_agents(stored: object) -> None:
    assert Provenance.of(stored) is Provenance.SELF


@pytest.mark.parametrize("provenance", Provenance)
def test_a_stored_class_is_read_back(provenance: Provenance) -> None:
    assert Provenance.of(str(provenance)) is provenance


@pytest.mark.parametrize("weight", [-0.01, math.nan, math.inf, -math.inf])
def test_a_weight_that_is_no_weight_is_refused_and_named(weight: float) -> None:
    with pytest.raises(ValueError, match=f"the weight of self evidence is a number of 0 or more, not {weight}"):
        ProvenanceWeights(self_=weight)
    with pytest.raises(ValueError, match="the weight of external evidence"):
        ProvenanceWeights.uniform(weight)


def test_uniform_weights_are_the_same_for_every_class() -> None:
    weights = ProvenanceWeights.uniform(0.3)

    assert {weights.of(provenance) for provenance in Provenance} == {0.3}
