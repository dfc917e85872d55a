"""Reports over the whole graph: what it holds, what is surest and least sure, and what fades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recall_plugin.domain.knowledge.entity import Entity
from recall_plugin.domain.knowledge.relation import Relation
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.views import RelationView, Sure, ends, ranked, view

SOURCES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """An entity, its relations, the surest first, and how many more there are."""

    entity: Entity
    relations: tuple[RelationView, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What memory holds without being asked anything. types: how many entities of each."""

    counts: dict[str, int]
    types: dict[str, int]
    disputed: tuple[RelationView, ...]
    surest: tuple[RelationView, ...]
    least_sure: tuple[RelationView, ...]
    latest: tuple[RelationView, ...]


@dataclass(frozen=True, slots=True)
class Fading:
    """A relation's stored confidence against what decay leaves of it. days: since it was last reinforced."""

    relation: RelationView
    days: float

    @property
    def lost(self) -> float:
        """How much decay has taken, in [0, 1]."""
        return self.relation.relation.evidence.mean - self.relation.effective


async def show(graph: Graph, entity: Entity, sure: Sure, *, limit: int) -> Shown:
    """Everything about one entity; of its relations the `limit` surest, each with its latest sources."""
    around = ranked(await graph.knowledge.around([entity.key]), sure)
    shown = around[:limit]
    sources = await graph.knowledge.observations([relation.key for relation in shown], SOURCES_SHOWN)
    names = await graph.knowledge.entities(ends(shown))
    views = tuple(view(relation, names, sure, sources[relation.key]) for relation in shown)
    return Shown(entity, views, len(around) - len(shown))


async def overview(graph: Graph, sure: Sure, *, limit: int) -> Overview:
    """What there is, what is surest, what is least sure, what came last; `limit` of each."""
    relations = await graph.knowledge.every_relation()
    types = Counter(line.type.value for line in await graph.knowledge.lines())
    holding = [relation for relation in relations if relation.valid_until is None]
    ordered = ranked([relation for relation in holding if not relation.disputed], sure)
    disputed = sorted(
        (relation for relation in relations if relation.disputed_at is not None),
        key=lambda relation: str(relation.disputed_at),
        reverse=True,
    )
    latest = sorted(relations, key=lambda relation: -relation.number)
    # What is among the surest is not among the least sure as well.
    rest = ordered[limit:]
    return Overview(
        counts=await graph.store.counts(),
        types=dict(types.most_common()),
        disputed=await _views(graph.knowledge, disputed[:limit], sure),
        surest=await _views(graph.knowledge, ordered[:limit], sure),
        least_sure=await _views(graph.knowledge, list(reversed(rest[-limit:])), sure),
        latest=await _views(graph.knowledge, latest[:limit], sure),
    )


async def decay_report(graph: Graph, sure: Sure, *, limit: int) -> list[Fading]:
    """The relations that decay has taken most from, `limit` of them, worst first."""
    relations = await graph.knowledge.every_relation()
    worst = sorted(relations, key=lambda one: sure.effective(one) - one.evidence.mean)[:limit]
    views = await _views(graph.knowledge, worst, sure)
    return [Fading(one, _days(one.relation, sure)) for one in views]


async def _views(knowledge: Knowledge, relations: Sequence[Relation], sure: Sure) -> tuple[RelationView, ...]:
    names = await knowledge.entities(ends(relations))
    sources = await knowledge.observations([relation.key for relation in relations], 1)
    return tuple(view(relation, names, sure, sources[relation.key]) for relation in relations)


def _days(relation: Relation, sure: Sure) -> float:
    since = relation.last_confirmed or relation.valid_from
    return max((sure.now - since).total_seconds() / 86400, 0.0) if since else 0.0
