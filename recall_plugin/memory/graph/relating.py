"""By hand: entities are added, relations claimed, denied, corrected and confirmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from recall_plugin.domain.actor import Actor
from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import clean_text
from recall_plugin.domain.journal.events import HAND, SELF, Asserted, Claim, EntityKept, Event, Named, Verdict
from recall_plugin.domain.knowledge.entity import Entity, EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey, relation_type
from recall_plugin.domain.naming import name_key
from recall_plugin.errors import RecallError, UnknownRelation, UsageError
from recall_plugin.files.redaction import redact
from recall_plugin.memory.graph import naming
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph

LONGEST_TEXT = 100_000


@dataclass(frozen=True, slots=True)
class NewEntity:
    """What is to be known of an entity; empty texts say nothing."""

    name: str
    type: EntityType
    aliases: Sequence[str] = ()
    abstract: str = ""
    overview: str = ""
    content: str = ""
    attributes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    project: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """What somebody says of a relation by hand.

    context, provenance, origin: None or empty where that was not said. confidence: a mean to set, a person's only.
    """

    source: Wanted
    relation: str
    target: Wanted
    deny: bool = False
    context: ExtractionContext | None = None
    provenance: Provenance | None = None
    origin: str = ""
    quote: str = ""
    at: datetime | None = None
    description: str = ""
    confidence: float | None = None
    project: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A relation before and after. before: None where it is new. notes: what was not taken as it was said."""

    before: Relation | None
    after: Relation
    source: Entity
    target: Entity
    notes: tuple[str, ...] = ()


async def add_entity(graph: Graph, new: NewEntity, actor: Actor, *, now: datetime, update: bool = False) -> Entity:
    """The entity is there. update: whether one that exists is changed, rather than refused.

    Raises UsageError for a name that is none or too long, and for an entity that exists.
    """
    name = naming.cleaned(new.name)
    known: tuple[str, ...] = ()
    if update:
        found = await naming.find(graph.knowledge, Wanted(name, new.type))
        key, name, known = found.key, found.name, found.aliases
    else:
        key = await naming.free_key(graph.knowledge, name, new.type)
    event = EntityKept(
        key=key,
        name=name,
        type=new.type,
        by=actor.kind.value,
        aliases=_new_aliases([naming.cleaned(alias) for alias in new.aliases], [name, *known]),
        abstract=_text(new.abstract, "the abstract"),
        overview=_text(new.overview, "the overview"),
        content=_text(new.content, "the content"),
        attributes={_text(k, "an attribute"): _text(v, "an attribute") for k, v in new.attributes.items()},
        project=_text(new.project, "the project"),
    )
    await graph.record([event], now=now)
    return (await graph.knowledge.entities([key]))[key]


def _new_aliases(aliases: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The aliases that are no other spelling of a known name, each once."""
    new = {name_key(alias): alias for alias in reversed(aliases)}
    for name in known:
        new.pop(name_key(name), None)
    return tuple(reversed(new.values()))


async def relate(graph: Graph, said: Statement, actor: Actor, *, now: datetime) -> Change:
    """The statement is evidence for, or against, the relation, which is made where it was not known.

    What a person says is authoritative, theirs, and of one origin, unless said otherwise. What the agent says is its
    own and inferred at the most, whatever it calls itself (law 11). Raises UnknownEntity, UsageError; RecallError for
    an agent that wants to set a confidence.
    """
    if said.confidence is not None:
        actor.demand_person("setting a confidence")
    source, target, key = await _ends(graph, said.source, said.relation, said.target)
    claim, notes = _claim(said, source, target, key, actor, now)
    events: list[Event] = [claim]
    if said.confidence is not None:
        # A mean that is set is no observation: it needs a relation, and adds no evidence to one that there is.
        is_known = key in await graph.knowledge.relations([key])
        events = [*([] if is_known else [claim]), Asserted(key, said.confidence, actor.kind.value)]
    return await _change(graph, key, source, target, events, now, notes)


async def correct(
    graph: Graph,
    source: Wanted,
    relation: str,
    target: Wanted,
    actor: Actor,
    *,
    verdict: str,
    now: datetime,
    quote: str = "",
) -> Change:
    """A person said of a known relation that it is "wrong", is "confirmed", or that their dispute is "lifted".

    Wrong is evidence against it at user authority, and a mark that stands until it is lifted; confirmed is evidence for
    it, once, and lifts the mark. The agent's word is its own evidence, and marks nothing. Raises UnknownEntity,
    UnknownRelation, UsageError.
    """
    source_entity, target_entity, key = await _ends(graph, source, relation, target)
    if key not in await graph.knowledge.relations([key]):
        raise UnknownRelation(source_entity.name, key.type, target_entity.name)
    said = Statement(source, relation, target, deny=verdict == "wrong", quote=quote)
    claim, notes = _claim(said, source_entity, target_entity, key, actor, now)
    events: list[Event] = [] if verdict == "lifted" else [claim]
    if actor.is_person:
        events.append(Verdict(key, verdict, now, actor.kind.value))
    elif verdict == "lifted":
        actor.demand_person("lifting a dispute")
    return await _change(graph, key, source_entity, target_entity, events, now, notes)


async def _ends(graph: Graph, source: Wanted, relation: str, target: Wanted) -> tuple[Entity, Entity, RelationKey]:
    try:
        kind = relation_type(relation)
    except ValueError as error:
        raise UsageError(str(error)) from error
    source_entity = await naming.find(graph.knowledge, source)
    target_entity = await naming.find(graph.knowledge, target)
    if source_entity.key == target_entity.key:
        raise UsageError(f"{source_entity.name} cannot be related to itself")
    return source_entity, target_entity, RelationKey(source_entity.key, kind, target_entity.key)


def _claim(
    said: Statement, source: Entity, target: Entity, key: RelationKey, actor: Actor, now: datetime
) -> tuple[Claim, tuple[str, ...]]:
    notes: list[str] = []
    if actor.is_person:
        context = said.context or ExtractionContext.AUTHORITATIVE
        provenance = said.provenance or Provenance.USER
        origin = _text(said.origin, "the origin") or HAND
        if origin == SELF or (provenance is Provenance.EXTERNAL and origin == HAND):
            raise UsageError(f"{provenance} evidence has an origin of its own", hint="name the document with --origin")
    else:
        context = (said.context or ExtractionContext.INFERRED).at_most(ExtractionContext.INFERRED)
        provenance, origin = Provenance.SELF, SELF
        notes.append(f"recorded as the agent's own word, {context}: {actor.why}")
    if said.at is not None and said.at > now:
        notes.append(f"{said.at:%Y-%m-%d} is still to come: recorded as said now")
    claim = Claim(
        source=Named(source.key, source.name, source.type),
        relation=key.type,
        target=Named(target.key, target.name, target.type),
        stance=Stance.CONTRADICTS if said.deny else Stance.SUPPORTS,
        context=context,
        provenance=provenance,
        origin=origin,
        occurred_at=min(said.at or now, now),
        by=actor.kind.value,
        quote=_text(said.quote, "the quote"),
        description=_text(said.description, "the description"),
        project=_text(said.project, "the project"),
    )
    return claim, tuple(notes)


async def _change(
    graph: Graph,
    key: RelationKey,
    source: Entity,
    target: Entity,
    events: list[Event],
    now: datetime,
    notes: tuple[str, ...],
) -> Change:
    before = (await graph.knowledge.relations([key])).get(key)
    await graph.record(events, now=now)
    after = (await graph.knowledge.relations([key])).get(key)
    if after is None:
        raise RecallError("the relation was recorded, and is not to be found", hint="run `recall rebuild`")
    notes = (*notes, *_unmoved(before, after, events), *_still_disputed(after, events))
    return Change(before, after, source, target, notes)


def _unmoved(before: Relation | None, after: Relation, events: list[Event]) -> list[str]:
    claim = next((event for event in events if isinstance(event, Claim)), None)
    if before is None or claim is None or _counts(before) != _counts(after):
        return []
    return [
        f"it moves nothing: the origin {claim.origin!r} has said so before, and counts once; another source has an"
        " --origin of its own"
    ]


def _counts(relation: Relation) -> tuple[float, float]:
    return relation.evidence.alpha, relation.evidence.beta


def _still_disputed(after: Relation, events: list[Event]) -> list[str]:
    if not after.disputed or any(isinstance(event, Verdict) for event in events):
        return []
    return ["you have disputed it, and that stands: `recall graph correct` with --confirm or --lift ends it"]


def _text(text: str, what: str) -> str:
    """The text as it may be written: clean, its secrets masked. Raises UsageError for one that is too long."""
    if len(text) > LONGEST_TEXT:
        raise UsageError(f"{what} has {len(text)} characters, more than {LONGEST_TEXT}", hint="shorten it")
    return redact(clean_text(text)).strip()
