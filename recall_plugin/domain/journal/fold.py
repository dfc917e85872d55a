"""The fold: entities, relations and tallies are what the journal's events make of them, in order.

An event touches few things. `touched` says which, so that whoever holds them elsewhere can bring just these; `apply`
changes them. Folding from nothing and going on from what was folded before give the same, to the bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from recall_plugin.domain.belief.evidence import Evidence, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.account import Account
from recall_plugin.domain.journal.events import (
    SELF,
    ArchiveNoted,
    Asserted,
    Claim,
    EntityKept,
    Event,
    PolicySet,
    Printed,
    Retrieved,
    SessionNoted,
    Verdict,
)
from recall_plugin.domain.knowledge.entity import Accesses, Entity
from recall_plugin.domain.knowledge.relation import Relation, RelationKey, Tally, TallyKey

Episode = tuple[int, int]  # the archive's number, the index in it
_FROM_THE_STRONGEST = (Provenance.EXTERNAL, Provenance.USER, Provenance.SELF)


class Unapplicable(ValueError):
    """An event makes sense, and yet cannot be applied to what there is; the message says why."""


class PolicyChanged(Exception):
    """Another policy weighs all, also what came before: everything is to be folded again under it."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event at its place in the journal."""

    number: int
    at: datetime
    event: Event


@dataclass(slots=True)
class Touched:
    """The keys of what some events read or change."""

    entities: set[str] = field(default_factory=set)
    relations: set[RelationKey] = field(default_factory=set)
    tallies: set[TallyKey] = field(default_factory=set)
    episodes: set[Episode] = field(default_factory=set)


@dataclass(slots=True)
class Ledger:
    """What events are applied to: all there is, or as much of it as these events touch.

    changed: the keys of what was changed since `changed` was last emptied. claims: those applied since then.
    """

    policy: PolicySet = field(default_factory=PolicySet)
    account: Account = field(default_factory=Account)
    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[RelationKey, Relation] = field(default_factory=dict)
    tallies: dict[TallyKey, Tally] = field(default_factory=dict)
    episodes: dict[Episode, Accesses] = field(default_factory=dict)
    claims: list[Numbered] = field(default_factory=list)
    changed: Touched = field(default_factory=Touched)

    def apply(self, numbered: Numbered) -> None:
        """The event's effects are there. Raises Unapplicable or PolicyChanged, and then nothing has changed."""
        event = numbered.event
        if isinstance(event, EntityKept):
            self._keep(event, numbered)
        elif isinstance(event, Claim):
            self._claim(event, numbered)
        elif isinstance(event, Asserted):
            self._assert(event)
        elif isinstance(event, Verdict):
            self._judge(event)
        elif isinstance(event, PolicySet):
            if event != self.policy:
                raise PolicyChanged
        elif isinstance(event, SessionNoted | ArchiveNoted):
            self.account = self.account.noted(event, numbered.at)
        elif isinstance(event, Printed):
            self._count(dict.fromkeys(event.entities, 1), dict.fromkeys(event.episodes, 1), numbered.at)
        else:
            counts: Counter[Episode] = Counter()
            for archive, index, times in event.episodes:
                counts[archive, index] += times
            self._count(event.entities, counts, event.day)

    def _keep(self, event: EntityKept, numbered: Numbered) -> None:
        known = self.entities.get(event.key)
        if known is not None and known.type is not event.type:
            raise Unapplicable(f"entity {event.key} is a {known.type}, not a {event.type}")
        bare = Entity(event.key, event.name, event.type, numbered.number, numbered.at, numbered.at)
        entity = _told(known or bare, event, numbered.at)
        if entity != known:
            self._set_entity(entity)

    def _claim(self, claim: Claim, numbered: Numbered) -> None:
        for end in (claim.source, claim.target):
            if end.key not in self.entities:
                raise Unapplicable(f"there is no entity {end.key} ({end.name})")
        known = self.relations.get(claim.key)
        tally_key = tally_key_of(claim, self.policy)
        tally = self.tallies.get(tally_key)
        if known is None:
            relation = _made(claim, numbered.number)
            tally = _first(tally_key, claim, numbered.number, counted=0.0, makes=True)
        else:
            relation, tally = _weighed(known, tally, tally_key, claim, numbered.number, self.policy)
        self._set_relation(relation)
        self.tallies[tally_key] = tally
        self.changed.tallies.add(tally_key)
        self.claims.append(numbered)
        if claim.replaces is not None:
            self._supersede(claim.replaces, claim)

    def _supersede(self, old: RelationKey, claim: Claim) -> None:
        """An older statement never closes a newer one, and what is over does not end again later."""
        replaced = self.relations.get(old)
        if replaced is None or old == claim.key or claim.stance is not Stance.SUPPORTS:
            return
        at = claim.occurred_at
        said_later = replaced.last_said is not None and at < replaced.last_said
        was_over = replaced.valid_until is not None and at >= replaced.valid_until
        if not said_later and not was_over:
            self._set_relation(replace(replaced, valid_until=at, superseded_by=claim.key))

    def _assert(self, event: Asserted) -> None:
        relation = self._existing(event.key)
        # How often the agent repeated it is no count, and stays true.
        tally = relation.evidence.self_reinforcements
        evidence = replace(Evidence.from_prior(event.mean), self_reinforcements=tally)
        self._set_relation(replace(relation, evidence=evidence))

    def _judge(self, event: Verdict) -> None:
        relation = self._existing(event.key)
        if event.verdict == "wrong":
            relation = replace(relation, disputed_at=event.occurred_at)
        elif event.verdict == "confirmed":
            relation = replace(
                relation, disputed_at=None, last_checked=_later(relation.last_checked, event.occurred_at)
            )
        else:
            relation = replace(relation, disputed_at=None)
        self._set_relation(relation)

    def _count(self, entities: Mapping[str, int], episodes: Mapping[Episode, int], at: datetime) -> None:
        for key, times in entities.items():
            if (entity := self.entities.get(key)) is not None:
                self._set_entity(replace(entity, accesses=entity.accesses.added(times, at)))
        for episode, times in episodes.items():
            self.episodes[episode] = self.episodes.get(episode, Accesses()).added(times, at)
            self.changed.episodes.add(episode)

    def _existing(self, key: RelationKey) -> Relation:
        if key not in self.relations:
            raise Unapplicable(f"there is no relation {' '.join(key)}")
        return self.relations[key]

    def _set_entity(self, entity: Entity) -> None:
        self.entities[entity.key] = entity
        self.changed.entities.add(entity.key)

    def _set_relation(self, relation: Relation) -> None:
        self.relations[relation.key] = relation
        self.changed.relations.add(relation.key)


def touched(events: list[Event], policy: PolicySet) -> Touched:
    """The keys of whatever `events` read or change under `policy`."""
    found = Touched()
    for event in events:
        if isinstance(event, EntityKept):
            found.entities.add(event.key)
        elif isinstance(event, Claim):
            found.entities |= {event.source.key, event.target.key}
            found.relations.add(event.key)
            found.tallies.add(tally_key_of(event, policy))
            if event.replaces is not None:
                found.relations.add(event.replaces)
        elif isinstance(event, Asserted | Verdict):
            found.relations.add(event.key)
        elif isinstance(event, Printed):
            found.entities |= set(event.entities)
            found.episodes |= set(event.episodes)
        elif isinstance(event, Retrieved):
            found.entities |= set(event.entities)
            found.episodes |= {(archive, index) for archive, index, _ in event.episodes}
    return found


def tally_key_of(claim: Claim, policy: PolicySet) -> TallyKey:
    """Whose stance a claim is counted under: the agent's word is one origin, unless the policy says otherwise."""
    is_one = claim.provenance is Provenance.SELF and policy.self_origin == "origin"
    return TallyKey(claim.key, claim.stance, SELF if is_one else claim.origin)


def _told(entity: Entity, event: EntityKept, at: datetime) -> Entity:
    """The entity with what is new of it: the latest stands, or is added where the type appends."""
    names = (*entity.aliases, *event.aliases, *([event.name] if event.name != entity.name else []))
    appends = entity.type.appends
    joined = _appended if appends else _latest
    told = replace(
        entity,
        aliases=tuple(name for name in dict.fromkeys(names) if name != entity.name),
        abstract=joined(entity.abstract, event.abstract),
        overview=joined(entity.overview, event.overview),
        content=joined(entity.content, event.content),
        attributes={**event.attributes, **entity.attributes} if appends else {**entity.attributes, **event.attributes},
        project=_latest(event.project, entity.project) if appends else _latest(entity.project, event.project),
    )
    return replace(told, updated_at=at) if told != entity else entity


def _appended(before: str, text: str) -> str:
    if not text or f"\n\n{text}\n\n" in f"\n\n{before}\n\n":
        return before
    return f"{before}\n\n{text}" if before else text


def _latest(before: str, text: str) -> str:
    return text or before


def _made(claim: Claim, number: int) -> Relation:
    """The claim that makes a relation sets its prior and adds no weight."""
    supports = claim.stance is Stance.SUPPORTS
    prior = claim.context.prior
    return Relation(
        key=claim.key,
        number=number,
        evidence=Evidence.from_prior(prior) if supports else Evidence.from_denial(prior),
        context=claim.context,
        description=claim.description,
        project=claim.project,
        valid_from=claim.occurred_at,
        last_said=claim.occurred_at if supports else None,
        origins=int(supports),
        mentions=int(supports),
        denials=int(not supports),
        denying_mentions=int(not supports),
    )


def _weighed(
    relation: Relation, tally: Tally | None, key: TallyKey, claim: Claim, number: int, policy: PolicySet
) -> tuple[Relation, Tally]:
    """The relation and the origin's tally with one more claim: weight and clock once for each origin and stance."""
    supports = claim.stance is Stance.SUPPORTS
    is_self = claim.provenance is Provenance.SELF
    is_new = tally is None
    weight = policy.weights.of(claim.provenance)
    if tally is None:
        added = weight
        sets_clock = not is_self
        tally = _first(key, claim, number, counted=weight, makes=False)
    else:
        # An origin that speaks again in a stronger class is worth that class, once.
        added = 0.0 if tally.makes else max(weight - tally.counted, 0.0)
        sets_clock = not is_self and tally.provenance is Provenance.SELF and not tally.makes
        tally = replace(
            tally,
            provenance=min(tally.provenance, claim.provenance, key=_FROM_THE_STRONGEST.index),
            counted=tally.counted + added,
            mentions=tally.mentions + 1,
            first_at=min(tally.first_at, claim.occurred_at),
            last_at=max(tally.last_at, claim.occurred_at),
        )
    evidence = relation.evidence.mention(claim.stance, claim.provenance)
    evidence = evidence.corroborate(added) if supports else evidence.contradict(added)
    relation = replace(relation, evidence=evidence, description=relation.description or claim.description)
    if not supports:
        denials, mentions = relation.denials + is_new, relation.denying_mentions + 1
        return replace(relation, denials=denials, denying_mentions=mentions), tally
    relation = replace(
        relation,
        origins=relation.origins + is_new,
        mentions=relation.mentions + 1,
        last_said=_later(relation.last_said, claim.occurred_at),
    )
    if sets_clock:
        relation = replace(relation, last_reinforced=_later(relation.last_reinforced, claim.occurred_at))
    if not is_self and relation.valid_until is not None and claim.occurred_at > relation.valid_until:
        relation = replace(relation, valid_until=None, superseded_by=None)
    return relation, tally


def _first(key: TallyKey, claim: Claim, number: int, *, counted: float, makes: bool) -> Tally:
    at = claim.occurred_at
    return Tally(key, number, claim.provenance, counted, makes, mentions=1, first_at=at, last_at=at)


def _later(one: datetime | None, other: datetime) -> datetime:
    return max(one, other) if one is not None else other
