"""The tree around an entity: cycles end, faint relations are left out, and the surest come first."""

from __future__ import annotations

import asyncio
import itertools
import math
from datetime import timedelta

import pytest
from graph_memory import AGENT, NOW, PERSON, entity, say, sure
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.memory.graph import naming
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import correct
from recall_plugin.memory.graph.traversing import WIDEST, Branch, Tree, traverse
from recall_plugin.memory.graph.views import Sure

_worlds = itertools.count()


class World:
    """Entities of its own in the shared graph, by short names."""

    def __init__(self, runner: asyncio.Runner, graph: Graph) -> None:
        self.runner, self.graph, self.name = runner, graph, f"w{next(_worlds)} "

    def add(self, *names: str, kind: EntityType = EntityType.TOOL) -> World:
        for name in names:
            self.runner.run(entity(self.graph, self.name + name, kind))
        return self

    def relate(self, source: str, target: str, confidence: float | None = None, relation: str = "USES") -> World:
        ends = self.name + source, relation, self.name + target
        self.runner.run(say(self.graph, *ends, confidence=confidence))
        return self

    def tree(self, root: str, depth: int = 3, judged: Sure | None = None, **more: object) -> Tree:
        found = self.runner.run(naming.find(self.graph.knowledge, Wanted(self.name + root)))
        judged = judged or sure(self.graph)
        return self.runner.run(traverse(self.graph.knowledge, found, judged, depth=depth, **more))  # type: ignore[arg-type]

    def shape(self, branches: list[Branch]) -> list[object]:
        """The names, each followed by what is below it; a star where it is shown elsewhere."""
        return [
            (one.entity.name.removeprefix(self.name) + "*" * one.again, self.shape(one.branches)) for one in branches
        ]


@pytest.fixture
def world(runner: asyncio.Runner, graph: Graph) -> World:
    return World(runner, graph)


def test_a_cycle_is_walked_once_and_marked_where_it_closes(world: World) -> None:
    world.add("a", "b", "c").relate("a", "b").relate("b", "c").relate("c", "a")

    tree = world.tree("a", depth=6)

    assert world.shape(tree.branches) == [("b", [("c*", [])]), ("c", [])]
    assert len(tree.relations()) == 3
    assert len(tree.entities()) == 3


def test_both_directions_of_a_pair_are_two_relations(world: World) -> None:
    world.add("a", "b").relate("a", "b").relate("b", "a")

    tree = world.tree("a", depth=6)

    assert sorted(one.outgoing for one in tree.branches) == [False, True]
    assert world.shape(tree.branches) == [("b", []), ("b*", [])]


@pytest.mark.parametrize("depth", [1, 2, 6])
def test_no_step_goes_further_than_the_depth(world: World, depth: int) -> None:
    world.add(*"abcdefgh")
    for one, other in itertools.pairwise("abcdefgh"):
        world.relate(one, other)

    assert len(world.tree("a", depth=depth).relations()) == depth
    assert len(world.tree("h", depth=depth).relations()) == depth


def test_what_decay_left_under_a_tenth_is_counted_once_and_not_shown_unless_wanted(world: World) -> None:
    world.add("a", "b", "c").relate("a", "b", 0.3).relate("a", "c", 0.3).relate("b", "c", 0.19)
    later = Sure(NOW + timedelta(days=90), world.graph.settings.confidence_half_life)

    now, then = world.tree("a", depth=6), world.tree("a", depth=6, judged=later)
    shown = world.tree("a", depth=6, judged=later, faint=True)

    assert (len(now.relations()), now.faint) == (3, 0)
    assert (len(then.relations()), then.faint) == (2, 1)
    assert (len(shown.relations()), shown.faint) == (3, 0)


def test_marks_and_paths_tell_how_sure_the_way_is(world: World) -> None:
    world.add("a", "b", "c", "d").relate("a", "b", 0.85).relate("b", "c", 0.5).relate("a", "d")

    first, second = world.tree("a").branches

    assert [first.entity.name[-1], second.entity.name[-1]] == ["d", "b"]
    assert first.relation.mark == ""
    assert second.relation.mark == " [85%]"
    assert second.branches[0].path == pytest.approx(0.425, abs=1e-12)


def test_filters_leave_out_whatever_is_of_another_type(world: World) -> None:
    world.add("a", "b").add("p", "q", kind=EntityType.PERSON)
    world.relate("a", "b").relate("a", "p", relation="BUILDS").relate("b", "q", relation="BUILDS")

    assert world.shape(world.tree("a", relation_types=["BUILDS"]).branches) == [("p", [])]
    assert world.shape(world.tree("a", entity_types=[EntityType.PERSON]).branches) == [("p", [])]
    assert world.shape(world.tree("a", relation_types=["PREFERS"]).branches) == []


def test_what_is_disputed_stands_below_everything_undisputed_of_its_kind(world: World) -> None:
    world.add("a", "old", "new").relate("a", "old").relate("a", "new", 0.3)
    ends = Wanted(world.name + "a"), "USES", Wanted(world.name + "old")
    world.runner.run(correct(world.graph, *ends, PERSON, verdict="wrong", now=NOW))

    branches = world.tree("a").branches

    assert [one.entity.name.removeprefix(world.name) for one in branches] == ["new", "old"]
    assert "disputed by you" in branches[1].relation.line


def test_of_a_hub_the_surest_are_shown_and_the_rest_is_counted(world: World) -> None:
    names = [str(number) for number in range(WIDEST + 7)]
    world.add("hub", *names)
    for number, name in enumerate(names):
        world.relate("hub", name, (number + 30) / 100)

    tree = world.tree("hub", depth=1)

    assert (len(tree.branches), tree.more) == (WIDEST, 7)
    shown = [one.relation.effective for one in tree.branches]
    assert shown == sorted(shown, reverse=True)
    assert min(shown) == pytest.approx(0.37, abs=1e-9)


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.05, 0.4, 1.0])), max_size=14),
    st.integers(1, 6),
)
def test_in_any_graph_each_relation_is_shown_once_and_each_entity_opened_once(
    runner: asyncio.Runner, graph: Graph, edges: list[tuple[int, int, float]], depth: int
) -> None:
    world = World(runner, graph).add(*map(str, range(6)))
    clear: dict[tuple[int, int], float] = {}
    for source, target, confidence in edges:
        if source != target:
            world.relate(str(source), str(target), confidence)
            clear[source, target] = confidence
    clear = {ends: confidence for ends, confidence in clear.items() if confidence >= 0.1}

    tree = world.tree("0", depth=depth)

    distance = distances(list(clear))
    expected = sum(min(distance[one], distance[other]) < depth for one, other in clear)
    shown = [one.relation.key for one in tree.relations()]
    assert len(shown) == len(set(shown)) == expected
    opened = [one.entity.key for one in every(tree.branches) if not one.again]
    assert len(opened) == len(set(opened))
    assert all(0 < one.path <= 1 for one in every(tree.branches))


def every(branches: list[Branch]) -> list[Branch]:
    return [*branches, *itertools.chain.from_iterable(every(one.branches) for one in branches)]


def distances(edges: list[tuple[int, int]]) -> dict[int, float]:
    """How many steps each entity is from 0, whatever the direction."""
    found: dict[int, float] = dict.fromkeys(range(6), math.inf) | {0: 0}
    for _ in range(6):
        for one, other in edges:
            found[one] = min(found[one], found[other] + 1)
            found[other] = min(found[other], found[one] + 1)
    return found


def test_an_agents_own_word_is_shown_with_how_little_it_is(world: World) -> None:
    world.add("a", "b")
    world.runner.run(say(world.graph, world.name + "a", "USES", world.name + "b", AGENT))

    [branch] = world.tree("a").branches

    assert branch.relation.mark == " [60%]"
