"""What is related to an entity, as a tree."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from recall_plugin.domain.belief.decay import EXPANSION_FLOOR
from recall_plugin.domain.knowledge.entity import Entity, EntityType
from recall_plugin.domain.knowledge.relation import Relation
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.memory.graph.views import RelationView, Sure, ends, ranked, view

DEEPEST = 6
# A hub may have thousands of relations; of each entity the surest are shown, and how many there are besides.
WIDEST = 50


@dataclass(slots=True)
class Branch:
    """A relation that leads on. outgoing: whether it leaves the entity above. path: confidences multiplied so far.

    entity: the other end. again: whether that stands elsewhere in the tree, with what follows from it.
    """

    relation: RelationView
    outgoing: bool
    entity: Entity
    path: float
    again: bool = False
    branches: list[Branch] = field(default_factory=list)
    more: int = 0


@dataclass(slots=True)
class Tree:
    """The tree of an entity. faint: relations under the floor that were left out. more: of the root's, not shown."""

    root: Entity
    branches: list[Branch] = field(default_factory=list)
    faint: int = 0
    more: int = 0

    def relations(self) -> list[RelationView]:
        """Every relation that is shown."""
        found, waiting = [], list(self.branches)
        while waiting:
            branch = waiting.pop()
            found.append(branch.relation)
            waiting += branch.branches
        return found

    def entities(self) -> list[str]:
        """The keys of the entities that are shown."""
        waiting, found = list(self.branches), {self.root.key: None}
        while waiting:
            branch = waiting.pop()
            found[branch.entity.key] = None
            waiting += branch.branches
        return list(found)


async def traverse(
    knowledge: Knowledge,
    root: Entity,
    sure: Sure,
    *,
    depth: int,
    relation_types: Collection[str] = (),
    entity_types: Collection[EntityType] = (),
    faint: bool = False,
) -> Tree:
    """The relations around `root`, up to `depth` steps away, each entity expanded once, where it is nearest.

    relation_types, entity_types: only these, where any are given. faint: whether relations under 0.1 effective
    confidence are shown too. The surest come first.
    """
    tree = Tree(root)
    seen = {root.key}
    shown: set[str] = set()
    faint_ones: set[str] = set()
    level: list[tuple[Entity, float, Tree | Branch]] = [(root, 1.0, tree)]
    for _ in range(depth):
        around = await knowledge.around([entity.key for entity, _, _ in level])
        names = await knowledge.entities(ends(around))
        following: list[tuple[Entity, float, Tree | Branch]] = []
        for entity, path, parent in level:
            own = [relation for relation in around if entity.key in (relation.key.source, relation.key.target)]
            wanted = [one for one in own if _wanted(one, entity, names, relation_types, entity_types)]
            clear = [one for one in wanted if faint or sure.effective(one) >= EXPANSION_FLOOR]
            fresh = [one for one in ranked(clear, sure) if one.key.id not in shown]
            faint_ones |= {one.key.id for one in wanted} - {one.key.id for one in clear}
            parent.more = max(len(fresh) - WIDEST, 0)
            for relation in fresh[:WIDEST]:
                shown.add(relation.key.id)
                branch = _branch(relation, entity, names, sure, path)
                branch.again = branch.entity.key in seen
                parent.branches.append(branch)
                if not branch.again:
                    seen.add(branch.entity.key)
                    following.append((branch.entity, branch.path, branch))
        level = following
        if not level:
            break
    tree.faint = len(faint_ones)
    return tree


def _wanted(
    relation: Relation,
    entity: Entity,
    names: dict[str, Entity],
    relation_types: Collection[str],
    entity_types: Collection[EntityType],
) -> bool:
    other = names.get(_other(relation, entity))
    if other is None or (relation_types and relation.key.type not in relation_types):
        return False
    return not entity_types or other.type in entity_types


def _branch(relation: Relation, entity: Entity, names: dict[str, Entity], sure: Sure, path: float) -> Branch:
    return Branch(
        view(relation, names, sure),
        outgoing=relation.key.source == entity.key,
        entity=names[_other(relation, entity)],
        path=path * sure.effective(relation),
    )


def _other(relation: Relation, entity: Entity) -> str:
    return relation.key.target if relation.key.source == entity.key else relation.key.source
