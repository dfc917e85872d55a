"""By hand: a person's word has authority, the agent's is its own, and nothing is counted twice."""

from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta

import pytest
from graph_memory import AGENT, NOW, PERSON, entity, say
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.domain.actor import Actor
from recall_plugin.domain.belief.evidence import ExtractionContext
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import Relation
from recall_plugin.errors import RecallError, UnknownEntity, UnknownRelation, UsageError
from recall_plugin.files.journal.journal import Journal
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import LONGEST_TEXT, Change, NewEntity, add_entity, correct

_names = itertools.count()


def pair(runner: asyncio.Runner, graph: Graph) -> tuple[str, str]:
    """The names of two new entities."""
    names = f"source {next(_names)}", f"target {next(_names)}"
    for name in names:
        runner.run(entity(graph, name))
    return names


def judge(runner: asyncio.Runner, graph: Graph, names: tuple[str, str], verdict: str, actor: Actor = PERSON) -> Change:
    """Somebody's verdict about `USES` between the two."""
    ends = Wanted(names[0]), "USES", Wanted(names[1])
    return runner.run(correct(graph, *ends, actor, verdict=verdict, now=NOW))


def recorded(graph: Graph) -> int:
    return Journal(graph.layout).last_number()


def counts(relation: Relation) -> tuple[float, float]:
    return relation.evidence.alpha, relation.evidence.beta


def test_a_persons_word_is_authoritative_and_of_one_origin(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)

    first = runner.run(say(graph, names[0], "uses", names[1]))
    again = runner.run(say(graph, names[0], "USES", names[1], quote="as I said"))

    assert first.before is None
    assert first.after.authoritative
    assert (first.after.context, counts(first.after)) == (ExtractionContext.AUTHORITATIVE, (10.0, 0.0))
    assert again.before == first.after
    assert counts(again.after) == (10.0, 0.0)
    assert (again.after.origins, again.after.mentions) == (1, 2)


def test_what_the_agent_says_is_its_own_and_inferred_at_most_whatever_it_calls_itself(
    runner: asyncio.Runner, graph: Graph
) -> None:
    names = pair(runner, graph)
    claims = {"provenance": Provenance.EXTERNAL, "origin": "docs.example", "context": ExtractionContext.AUTHORITATIVE}

    change = runner.run(say(graph, names[0], "USES", names[1], AGENT, **claims))
    for _ in range(20):
        change = runner.run(say(graph, names[0], "USES", names[1], AGENT, **claims))

    assert change.after.context is ExtractionContext.INFERRED
    assert counts(change.after) == (6.0, 4.0)
    assert (change.after.origins, change.after.mentions) == (1, 21)
    assert change.after.last_reinforced is None
    assert "recorded as the agent's own word, inferred: the test says so" in change.notes
    with pytest.raises(RecallError, match="takes a person"):
        runner.run(say(graph, names[0], "USES", names[1], AGENT, confidence=1.0))
    [(told, *_)] = runner.run(graph.knowledge.observations([change.after.key], 5)).values()
    assert (told.provenance, told.origin, told.by) == (Provenance.SELF, "self", "agent")


def test_independent_documents_add_weight_and_one_repeated_adds_none(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)
    external = {"provenance": Provenance.EXTERNAL, "context": ExtractionContext.EXPLICIT}
    for origin in ("a.example", "b.example", "b.example", "b.example"):
        change = runner.run(say(graph, names[0], "USES", names[1], origin=origin, **external))

    assert counts(change.after) == (10.0, pytest.approx(1.0, abs=1e-12))
    assert (change.after.origins, change.after.mentions) == (2, 4)
    assert change.after.last_reinforced == NOW


@pytest.mark.parametrize("origin", ["", "  ", "hand", "self"])
def test_a_document_has_a_name_of_its_own(runner: asyncio.Runner, graph: Graph, origin: str) -> None:
    names = pair(runner, graph)
    before = recorded(graph)

    with pytest.raises(UsageError, match="has an origin of its own"):
        runner.run(say(graph, *names[:1], "USES", names[1], provenance=Provenance.EXTERNAL, origin=origin))

    assert recorded(graph) == before


def test_a_correction_is_one_contradiction_and_a_mark_that_stands_until_it_is_lifted(
    runner: asyncio.Runner, graph: Graph
) -> None:
    names = pair(runner, graph)
    runner.run(say(graph, names[0], "USES", names[1]))

    wrong = judge(runner, graph, names, "wrong").after
    agents = judge(runner, graph, names, "confirmed", AGENT).after
    twice = judge(runner, graph, names, "wrong").after
    lifted = judge(runner, graph, names, "lifted").after
    confirmed = judge(runner, graph, names, "confirmed").after

    assert (counts(wrong), wrong.disputed) == ((10.0, 0.8), True)
    assert (counts(agents), agents.disputed, agents.last_checked) == ((10.05, 0.8), True, None)
    assert (counts(twice), twice.disputed, twice.denials) == ((10.05, 0.8), True, 1)
    assert (counts(lifted), lifted.disputed) == ((10.05, 0.8), False)
    assert (counts(confirmed), confirmed.last_checked) == ((10.05, 0.8), NOW)
    with pytest.raises(RecallError, match="takes a person"):
        judge(runner, graph, names, "lifted", AGENT)


def test_a_verdict_on_what_nobody_said_is_refused(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)
    before = recorded(graph)

    with pytest.raises(UnknownRelation, match="is not known"):
        judge(runner, graph, names, "wrong")

    assert recorded(graph) == before


def test_a_set_confidence_is_what_it_says_and_no_observation(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)

    made = runner.run(say(graph, names[0], "USES", names[1], confidence=0.25)).after
    changed = runner.run(say(graph, names[0], "USES", names[1], confidence=0.75)).after

    assert counts(made) == (2.5, 7.5)
    assert counts(changed) == (7.5, 2.5)
    assert (changed.origins, changed.mentions) == (1, 1)


@pytest.mark.parametrize(
    ("relation", "reason"),
    [
        ("", "a relation's type is"),
        ("USES; DROP", "a relation's type is"),
        ("x" * 100, "64 characters"),
        ("部署", "type"),
    ],
)
def test_what_is_no_type_of_a_relation_is_refused(
    runner: asyncio.Runner, graph: Graph, relation: str, reason: str
) -> None:
    names = pair(runner, graph)

    with pytest.raises(UsageError, match=reason):
        runner.run(say(graph, names[0], relation, names[1]))


def test_a_relation_to_nobody_or_to_itself_is_refused_and_nothing_is_recorded(
    runner: asyncio.Runner, graph: Graph
) -> None:
    names = pair(runner, graph)
    before = recorded(graph)

    with pytest.raises(UnknownEntity, match="did you mean"):
        runner.run(say(graph, names[0], "USES", names[1][:-1] + "z"))
    with pytest.raises(UsageError, match="itself"):
        runner.run(say(graph, names[0], "USES", names[0].upper()))

    assert recorded(graph) == before


def test_nothing_is_said_in_the_future(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)

    change = runner.run(say(graph, names[0], "USES", names[1], at=NOW + timedelta(days=9)))

    assert change.after.valid_from == NOW
    assert "recorded as said now" in "".join(change.notes)


def test_an_older_word_that_comes_later_neither_reinforces_nor_opens(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)
    runner.run(say(graph, names[0], "USES", names[1]))
    for days, origin in ((1, "new"), (400, "old")):
        at = NOW - timedelta(days=days)
        change = runner.run(say(graph, names[0], "USES", names[1], origin=origin, at=at))

    assert change.after.last_reinforced == NOW - timedelta(days=1)
    assert change.after.last_said == NOW


def test_secrets_do_not_get_into_the_journal(runner: asyncio.Runner, graph: Graph) -> None:
    names = pair(runner, graph)
    secret = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"

    runner.run(say(graph, names[0], "USES", names[1], quote=f"the token is {secret}", description=secret))
    runner.run(entity(graph, "holder", abstract=f"has {secret}", attributes={"token": secret}))

    assert secret.encode() not in b"".join(path.read_bytes() for path in graph.layout.journal.glob("*.jsonl"))


@pytest.mark.parametrize("field", ["abstract", "overview", "content", "project"])
def test_a_text_that_is_too_long_is_refused_and_one_as_long_as_allowed_is_kept(
    runner: asyncio.Runner, graph: Graph, field: str
) -> None:
    with pytest.raises(UsageError, match=f"more than {LONGEST_TEXT}"):
        runner.run(entity(graph, f"long {field}", **{field: "x " * LONGEST_TEXT}))

    kept = runner.run(entity(graph, f"long {field}", **{field: "x" * LONGEST_TEXT}))
    assert len(getattr(kept, field)) == LONGEST_TEXT


def test_an_event_that_is_too_large_in_all_is_refused_and_nothing_is_half_recorded(
    runner: asyncio.Runner, graph: Graph
) -> None:
    before = recorded(graph)
    attributes = {f"key {number}": "x" * 99_000 for number in range(12)}

    with pytest.raises(RecallError, match="bytes"):
        runner.run(entity(graph, "huge", attributes=attributes))

    assert recorded(graph) == before
    runner.run(entity(graph, "huge"))


def test_an_update_adds_and_is_refused_for_what_is_not_there(runner: asyncio.Runner, graph: Graph) -> None:
    runner.run(entity(graph, "Kestrel", abstract="a bird", attributes={"colour": "brown"}))
    more = NewEntity("kestrel", EntityType.TOOL, ["K", "k", "KESTREL"], "a queue", attributes={"port": "1"})

    for _ in range(2):
        told = runner.run(add_entity(graph, more, PERSON, now=NOW, update=True))

    assert (told.name, told.aliases, told.abstract) == ("Kestrel", ("K",), "a queue")
    assert dict(told.attributes) == {"colour": "brown", "port": "1"}
    with pytest.raises(UnknownEntity):
        runner.run(add_entity(graph, NewEntity("nobody", EntityType.TOOL), PERSON, now=NOW, update=True))


@settings(max_examples=25)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_may_be_quoted_and_any_origin_counts_once(
    runner: asyncio.Runner, graph: Graph, quote: str, origin: str
) -> None:
    names = pair(runner, graph)
    runner.run(say(graph, names[0], "USES", names[1], context=ExtractionContext.INFERRED))

    one = runner.run(say(graph, names[0], "USES", names[1], quote=quote, origin=origin)).after
    two = runner.run(say(graph, names[0], "USES", names[1], quote=quote, origin=origin)).after

    assert counts(one) == counts(two)
    assert two.mentions == 3
