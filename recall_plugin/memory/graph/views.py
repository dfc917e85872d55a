"""What is shown of relations: how sure, why, and from whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recall_plugin.domain.belief.decay import effective_confidence
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.belief.standing import describe_standing, standing_order
from recall_plugin.domain.instants import format_instant, format_seconds
from recall_plugin.domain.journal.events import HAND
from recall_plugin.domain.knowledge.entity import Entity
from recall_plugin.domain.knowledge.relation import Relation, RelationKey
from recall_plugin.graph.store.knowledge import Observation

SHOWN_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Sure:
    """How a relation's belief is judged: at which time, and how fast it fades (half_life in days)."""

    now: datetime
    half_life: float

    def effective(self, relation: Relation) -> float:
        """The relation's confidence after decay, in [0, 1]."""
        return effective_confidence(
            relation.evidence.mean, relation.last_confirmed, relation.valid_from, self.now, self.half_life
        )

    def standing(self, relation: Relation) -> str:
        """The same in words."""
        return describe_standing(
            relation.evidence,
            last_reinforced=relation.last_reinforced,
            last_checked=relation.last_checked,
            now=self.now,
            disputed_at=relation.disputed_at,
            half_life=self.half_life,
        )

    def order(self, relation: Relation) -> tuple[float, bool, float, float]:
        """A key that sorts the surest first."""
        return standing_order(
            relation.evidence,
            last_reinforced=relation.last_confirmed,
            valid_from=relation.valid_from,
            now=self.now,
            disputed=relation.disputed,
            half_life=self.half_life,
        )


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation as it is shown. source, target: names. effective: after decay. sources: the latest words first."""

    relation: Relation
    source: str
    target: str
    effective: float
    standing: str
    sources: tuple[Observation, ...] = ()

    @property
    def mark(self) -> str:
        """` [85%]` where the relation is not certain, nothing where it is."""
        return "" if self.relation.authoritative else f" [{self.effective:.0%}]"

    @property
    def line(self) -> str:
        """`api LISTENS_ON 22 [85%]`, with what is wrong with it."""
        remarks = [self.standing] if self.relation.disputed else []
        if self.relation.valid_until is not None:
            remarks.append(f"until {self.relation.valid_until:%Y-%m-%d}")
        remark = f" ({'; '.join(remarks)})" if remarks else ""
        return f"{self.source} {self.relation.key.type} {self.target}{self.mark}{remark}"

    def to_json(self) -> dict[str, object]:
        """The documented shape of a relation (docs/commands.md)."""
        relation, evidence = self.relation, self.relation.evidence
        low, high = evidence.interval()
        return {
            "id": relation.key.id,
            "source": self.source,
            "type": relation.key.type,
            "target": self.target,
            "confidence": round(evidence.mean, SHOWN_DIGITS),
            "effective": round(self.effective, SHOWN_DIGITS),
            "interval": [round(low, SHOWN_DIGITS), round(high, SHOWN_DIGITS)],
            "alpha": evidence.alpha,
            "beta": evidence.beta,
            "variance": evidence.variance,
            "self_reinforcements": evidence.self_reinforcements,
            "context": relation.context.value,
            "origins": relation.origins,
            "mentions": relation.mentions,
            "denials": relation.denials,
            "denying_mentions": relation.denying_mentions,
            "standing": self.standing,
            "disputed_at": instant(relation.disputed_at),
            "valid_from": instant(relation.valid_from),
            "valid_until": instant(relation.valid_until),
            "last_reinforced": instant(relation.last_reinforced),
            "last_checked": instant(relation.last_checked),
            "superseded_by": relation.superseded_by.id if relation.superseded_by else None,
            "description": relation.description,
            "project": relation.project or None,
            "sources": [observation_to_json(one) for one in self.sources],
        }


def ranked(relations: Sequence[Relation], sure: Sure) -> list[Relation]:
    """The surest first; what is disputed stands below everything undisputed of the same source and type."""
    return below_undisputed(sorted(relations, key=sure.order))


def below_undisputed(ordered: list[Relation]) -> list[Relation]:
    """`ordered`, but what is disputed or over stands after the last that is neither, of its source and type.

    It stands after what replaced it, too, which may be of another type.
    """
    last: dict[tuple[str, str], int] = {}
    standing: dict[RelationKey | None, int] = {}
    for place, relation in enumerate(ordered):
        if not _low(relation):
            last[relation.key.source, relation.key.type] = standing[relation.key] = place

    def order(placed: tuple[int, Relation]) -> tuple[int, bool]:
        place, relation = placed
        if not _low(relation):
            return place, False
        rivals = last.get((relation.key.source, relation.key.type), -1)
        return max(place, rivals, standing.get(relation.superseded_by, -1)), True

    return [relation for _, relation in sorted(enumerate(ordered), key=order)]


def _low(relation: Relation) -> bool:
    return relation.disputed or relation.valid_until is not None


def view(relation: Relation, names: dict[str, Entity], sure: Sure, sources: Sequence[Observation] = ()) -> RelationView:
    """The relation as it is shown. names: the entities of its ends, by key."""
    return RelationView(
        relation,
        source=name_of(relation.key.source, names),
        target=name_of(relation.key.target, names),
        effective=sure.effective(relation),
        standing=sure.standing(relation),
        sources=tuple(sources),
    )


def name_of(key: str, names: dict[str, Entity]) -> str:
    """The entity's name; its key where it is not there."""
    return names[key].name if key in names else key


def ends(relations: Sequence[Relation]) -> set[str]:
    """The keys of the entities that the relations join."""
    return {end for relation in relations for end in (relation.key.source, relation.key.target)}


def observation_line(one: Observation) -> str:
    """Who said it, where and when, in one line."""
    if one.place is not None:
        where = f"conversation {one.place.archive:03d}, turn {one.place.turn}, {_WHO[one.provenance]}"
    elif one.origin == HAND:
        where = "by hand"
    elif one.provenance is Provenance.SELF:
        where = "the agent"
    else:
        where = f"{one.origin} ({one.provenance})"
    verb = "" if one.stance == "supports" else "denied: "
    quote = f": “{one.quote}”" if one.quote else ""
    return f"{verb}{where}, {format_seconds(one.occurred_at)}{quote}"


_WHO = {Provenance.USER: "user", Provenance.SELF: "assistant", Provenance.EXTERNAL: "external"}


def observation_to_json(one: Observation) -> dict[str, object]:
    """The documented shape of a relation's source (docs/commands.md)."""
    return {
        "event": one.number,
        "stance": one.stance.value,
        "context": one.context.value,
        "class": one.provenance.value,
        "origin": one.origin,
        "by": one.by,
        "quote": one.quote or None,
        "archive": one.place.archive if one.place else None,
        "turn": one.place.turn if one.place else None,
        "time": format_instant(one.occurred_at),
    }


def instant(value: datetime | None) -> str | None:
    """The instant as JSON has it."""
    return format_instant(value) if value is not None else None


def entity_to_json(entity: Entity) -> dict[str, object]:
    """The documented shape of an entity (docs/commands.md)."""
    return {
        "key": entity.key,
        "name": entity.name,
        "type": entity.type.value,
        "aliases": list(entity.aliases),
        "abstract": entity.abstract,
        "overview": entity.overview,
        "content": entity.content,
        "attributes": dict(entity.attributes),
        "project": entity.project or None,
        "accesses": entity.accesses.count,
        "last_access": instant(entity.accesses.last),
        "utility": entity.utility,
        "created_at": instant(entity.created_at),
        "updated_at": instant(entity.updated_at),
    }
