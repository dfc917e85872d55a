"""Between our values and the store's rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from surrealdb import RecordID

from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights
from recall_plugin.domain.journal.events import Claim, PolicySet
from recall_plugin.domain.journal.fold import Episode, Numbered
from recall_plugin.domain.knowledge.entity import Accesses, Entity, EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey, Tally, TallyKey
from recall_plugin.domain.naming import name_key

Row = dict[str, Any]
RELATION_COLUMNS = "*, record::id(id) AS id, record::id(in) AS source, record::id(out) AS target"


def entity_id(key: str) -> RecordID:
    return RecordID("entity", key)


def relation_id(key: RelationKey) -> RecordID:
    return RecordID("relates_to", key.id)


def tally_id(key: TallyKey) -> RecordID:
    """Origins are any text, so that a hash stands for them."""
    name = "\0".join((*key.relation, key.stance, key.origin))
    return RecordID("tally", hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:24])


def episode_id(episode: Episode, table: str = "episode") -> RecordID:
    return RecordID(table, f"{episode[0]}-{episode[1]}")


def episode_of(record: RecordID) -> Episode:
    archive, _, index = str(record.id).partition("-")
    return int(archive), int(index)


def entity_row(entity: Entity) -> Row:
    return {
        "id": entity_id(entity.key),
        "name": entity.name,
        "name_key": name_key(entity.name),
        "type": entity.type.value,
        "number": entity.number,
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
        "aliases": list(entity.aliases),
        "alias_keys": [name_key(alias) for alias in entity.aliases],
        "abstract": entity.abstract,
        "overview": entity.overview,
        "content": entity.content,
        "attributes": dict(entity.attributes),
        "project": entity.project,
        "access_count": entity.accesses.count,
        "last_access": entity.accesses.last,
        "utility": entity.utility,
    }


def entity_of(row: Row) -> Entity:
    return Entity(
        key=str(row["id"].id),
        name=row["name"],
        type=EntityType(row["type"]),
        number=row["number"],
        created_at=instant(row["created_at"]),
        updated_at=instant(row["updated_at"]),
        aliases=tuple(row["aliases"]),
        abstract=row["abstract"],
        overview=row["overview"],
        content=row["content"],
        attributes=row["attributes"],
        project=row["project"],
        accesses=Accesses(row["access_count"], instant_or_none(row.get("last_access"))),
        utility=row["utility"],
    )


def relation_row(relation: Relation) -> Row:
    return {
        "id": relation_id(relation.key),
        "in": entity_id(relation.key.source),
        "out": entity_id(relation.key.target),
        "type": relation.key.type,
        "number": relation.number,
        "alpha": relation.evidence.alpha,
        "beta": relation.evidence.beta,
        "self_reinforcements": relation.evidence.self_reinforcements,
        "context": relation.context.value,
        "description": relation.description,
        "project": relation.project,
        "valid_from": relation.valid_from,
        "valid_until": relation.valid_until,
        "last_reinforced": relation.last_reinforced,
        "last_said": relation.last_said,
        "last_checked": relation.last_checked,
        "disputed_at": relation.disputed_at,
        "superseded_by": list(relation.superseded_by) if relation.superseded_by else None,
        "origins": relation.origins,
        "mentions": relation.mentions,
        "denials": relation.denials,
        "denying_mentions": relation.denying_mentions,
    }


def relation_of(row: Row) -> Relation:
    """row: of a SELECT of RELATION_COLUMNS, as `Engine.rows` gives it."""
    superseded_by = row.get("superseded_by")
    return Relation(
        key=RelationKey(row["source"], row["type"], row["target"]),
        number=row["number"],
        evidence=Evidence(row["alpha"], row["beta"], row["self_reinforcements"]),
        context=ExtractionContext.of(row["context"]),
        description=row["description"],
        project=row["project"],
        valid_from=instant_or_none(row.get("valid_from")),
        valid_until=instant_or_none(row.get("valid_until")),
        last_reinforced=instant_or_none(row.get("last_reinforced")),
        last_said=instant_or_none(row.get("last_said")),
        last_checked=instant_or_none(row.get("last_checked")),
        disputed_at=instant_or_none(row.get("disputed_at")),
        superseded_by=RelationKey(*superseded_by) if superseded_by else None,
        origins=row["origins"],
        mentions=row["mentions"],
        denials=row["denials"],
        denying_mentions=row["denying_mentions"],
    )


def tally_row(tally: Tally) -> Row:
    return {
        "id": tally_id(tally.key),
        "relation": relation_id(tally.key.relation),
        "stance": tally.key.stance.value,
        "origin": tally.key.origin,
        "number": tally.number,
        "class": tally.provenance.value,
        "counted": tally.counted,
        "makes": tally.makes,
        "mentions": tally.mentions,
        "first_at": tally.first_at,
        "last_at": tally.last_at,
    }


def tally_of(row: Row, relation: RelationKey) -> Tally:
    return Tally(
        key=TallyKey(relation, Stance(row["stance"]), row["origin"]),
        number=row["number"],
        provenance=Provenance.of(row["class"]),
        counted=row["counted"],
        makes=row["makes"],
        mentions=row["mentions"],
        first_at=instant(row["first_at"]),
        last_at=instant(row["last_at"]),
    )


def observation_row(numbered: Numbered) -> Row:
    claim = numbered.event
    if not isinstance(claim, Claim):
        raise TypeError("only a claim is an observation")
    place = claim.place
    return {
        "id": RecordID("observation", numbered.number),
        "relation": relation_id(claim.key),
        "stance": claim.stance.value,
        "context": claim.context.value,
        "class": claim.provenance.value,
        "origin": claim.origin,
        "by": claim.by,
        "quote": claim.quote,
        "archive": place.archive if place else None,
        "turn": place.turn if place else None,
        "span": [place.start, place.end] if place and place.end else None,
        "occurred_at": claim.occurred_at,
        "recorded_at": numbered.at,
    }


def access_row(episode: Episode, accesses: Accesses) -> Row:
    return {"id": episode_id(episode, "access"), "count": accesses.count, "last": accesses.last}


def access_of(row: Row) -> tuple[Episode, Accesses]:
    return episode_of(row["id"]), Accesses(row["count"], instant_or_none(row.get("last")))


def policy_object(policy: PolicySet) -> Row:
    return policy.to_fields()


def policy_of(value: Mapping[str, Any]) -> PolicySet:
    weights = ProvenanceWeights(*(float(value["weights"][one.value]) for one in Provenance))
    return PolicySet(weights, value["self_origin"])


def instant(value: datetime | str) -> datetime:
    """The engine's own kind of datetime, which counts nanoseconds, becomes a plain one; so does one in JSON."""
    if isinstance(value, str):
        return datetime.fromisoformat(value)
    return datetime.combine(value.date(), value.timetz()).astimezone(UTC)


def instant_or_none(value: datetime | str | None) -> datetime | None:
    return None if value is None else instant(value)
