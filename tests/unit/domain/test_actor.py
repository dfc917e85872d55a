"""Authority is a person's; the agent is told why it counts as the agent, and what a person would do."""

from __future__ import annotations

import pytest

from recall_plugin.domain.actor import Actor, ActorKind
from recall_plugin.errors import RecallError


def test_a_person_may_do_what_takes_a_person() -> None:
    person = Actor(ActorKind.PERSON, "stdin is a terminal")

    person.demand_person("changing a weight")

    assert person.is_person


def test_the_agent_is_refused_with_the_deed_the_reason_and_both_ways_out() -> None:
    agent = Actor(ActorKind.AGENT, "CLAUDECODE is set")

    with pytest.raises(RecallError) as refused:
        agent.demand_person("changing a weight", otherwise="edit x.toml")

    assert not agent.is_person
    assert refused.value.exit_code == 1
    assert (
        refused.value.message == "changing a weight takes a person, and this call counts as the agent's: " + agent.why
    )
    assert refused.value.hint == "run the command yourself in a terminal, or edit x.toml"


def test_a_deed_that_has_one_way_only_names_no_second() -> None:
    with pytest.raises(RecallError) as refused:
        Actor(ActorKind.AGENT, "stdin is no terminal").demand_person("forgetting")

    assert refused.value.hint == "run the command yourself in a terminal"
