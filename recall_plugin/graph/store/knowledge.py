"""What is asked of the entities and relations of a store."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Place
from recall_plugin.domain.knowledge.entity import Entity, EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey
from recall_plugin.graph.store import rows
from recall_plugin.graph.store.store import Store

_PAGE = 500
# The columns of an EntityLine.
_LINE = (
    "[record::id(id), name, type, aliases, abstract, access_count, updated_at, last_access, utility, project, number]"
)


@dataclass(frozen=True, slots=True)
class Observation:
    """One claim about a relation, as it was recorded."""

    number: int
    stance: Stance
    context: ExtractionContext
    provenance: Provenance
    origin: str
    by: str
    quote: str
    place: Place | None
    occurred_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class EntityLine:
    """As much of an entity as a search needs."""

    key: str
    number: int
    name: str
    type: EntityType
    aliases: tuple[str, ...]
    abstract: str
    accesses: int
    updated_at: datetime
    last_access: datetime | None
    utility: float
    project: str

    @property
    def text(self) -> str:
        """What the entity is found by: its names, and its abstract."""
        names = ", ".join([self.name, *self.aliases])
        return f"{names}: {self.abstract}" if self.abstract else names


class Knowledge:
    """The entities and relations of one open store."""

    def __init__(self, store: Store) -> None:
        self._engine = store.engine

    async def entities(self, keys: Collection[str]) -> dict[str, Entity]:
        """The entities of these keys, as far as they exist."""
        [found] = await self._engine.query(
            "SELECT * FROM $ids", {"ids": [rows.entity_id(key) for key in dict.fromkeys(keys)]}
        )
        return {entity.key: entity for entity in map(rows.entity_of, found)}

    async def named(self, name_key: str) -> list[Entity]:
        """The entities that are called so, by name or by an alias, the oldest first. name_key: `naming.name_key`."""
        by_name, by_alias = await self._engine.query(
            "SELECT * FROM entity WHERE name_key = $key; SELECT * FROM entity WHERE alias_keys CONTAINS $key;",
            {"key": name_key},
        )
        found = {str(row["id"].id): rows.entity_of(row) for row in [*by_name, *by_alias]}
        return sorted(found.values(), key=lambda entity: entity.number)

    async def names(self) -> list[str]:
        """The name of every entity."""
        [found] = await self._engine.query("SELECT VALUE name FROM entity")
        return [str(name) for name in found]

    async def lines(self, numbers: Collection[int] | None = None) -> list[EntityLine]:
        """What a search needs of every entity, or of those with these numbers, the oldest first."""
        lines: list[EntityLine] = []
        if numbers is not None:
            found = await self._engine.rows(
                f"SELECT VALUE {_LINE} FROM entity WHERE number IN $numbers", {"numbers": list(numbers)}
            )
            return sorted(map(_line, found), key=lambda line: line.number)
        while True:
            found = await self._engine.rows(
                f"SELECT VALUE {_LINE} FROM entity START $start LIMIT $page", {"start": len(lines), "page": _PAGE}
            )
            lines += map(_line, found)
            if len(found) < _PAGE:
                return sorted(lines, key=lambda line: line.number)

    async def lines_of(self, keys: Collection[str]) -> list[EntityLine]:
        """The same of the entities of these keys."""
        ids = [rows.entity_id(key) for key in keys]
        found = await self._engine.rows(f"SELECT VALUE {_LINE} FROM $ids", {"ids": ids})
        return sorted(map(_line, found), key=lambda line: line.number)

    async def relations(self, keys: Iterable[RelationKey]) -> dict[RelationKey, Relation]:
        """The relations of these keys, as far as they exist."""
        ids = [rows.relation_id(key) for key in keys]
        found = await self._engine.rows(f"SELECT {rows.RELATION_COLUMNS} FROM $ids", {"ids": ids})
        return {relation.key: relation for relation in map(rows.relation_of, found)}

    async def around(
        self, entities: Collection[str], *, outgoing: bool = True, incoming: bool = True
    ) -> list[Relation]:
        """The relations that leave or reach any of these entities, each once, the oldest first."""
        if not entities:
            return []
        ids = [rows.entity_id(key) for key in entities]
        found: dict[str, Any] = {}
        for arrow, wanted in (("->", outgoing), ("<-", incoming)):
            if wanted:
                select = f"SELECT {rows.RELATION_COLUMNS} FROM $ids{arrow}relates_to"
                found |= {row["id"]: row for row in await self._engine.rows(select, {"ids": ids})}
        return sorted(map(rows.relation_of, found.values()), key=lambda relation: relation.number)

    async def every_relation(self) -> list[Relation]:
        """All relations, the oldest first."""
        found: list[Relation] = []
        while True:
            page = await self._engine.rows(
                f"SELECT {rows.RELATION_COLUMNS} FROM relates_to START $start LIMIT $page",
                {"start": len(found), "page": _PAGE},
            )
            found += map(rows.relation_of, page)
            if len(page) < _PAGE:
                return sorted(found, key=lambda relation: relation.number)

    async def observations(self, keys: Collection[RelationKey], limit: int) -> dict[RelationKey, list[Observation]]:
        """The claims about each of these relations, the latest words first, `limit` of each at the most."""
        found: dict[RelationKey, list[Observation]] = {}
        for key in keys:
            [answer] = await self._engine.query(
                "SELECT * FROM observation WHERE relation = $id ORDER BY occurred_at DESC, id DESC LIMIT $limit",
                {"id": rows.relation_id(key), "limit": limit},
            )
            found[key] = [_observation(row) for row in answer]
        return found


def _line(row: list[Any]) -> EntityLine:
    key, name, type_, aliases, abstract, count, updated_at, last_access, utility, project, number = row
    return EntityLine(
        key=key,
        number=number,
        name=name,
        type=EntityType(type_),
        aliases=tuple(aliases),
        abstract=abstract,
        accesses=count,
        updated_at=rows.instant(updated_at),
        last_access=rows.instant_or_none(last_access),
        utility=utility,
        project=project,
    )


def _observation(row: dict[str, Any]) -> Observation:
    span = row.get("span") or [0, 0]
    place = Place(row["archive"], row["turn"], *span) if row.get("archive") else None
    return Observation(
        number=int(row["id"].id),
        stance=Stance(row["stance"]),
        context=ExtractionContext.of(row["context"]),
        provenance=Provenance.of(row["class"]),
        origin=row["origin"],
        by=row["by"],
        quote=row["quote"],
        place=place,
        occurred_at=rows.instant(row["occurred_at"]),
        recorded_at=rows.instant(row["recorded_at"]),
    )
