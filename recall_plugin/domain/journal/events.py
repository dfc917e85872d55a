"""The events of the journal: what was said, what was decided, and the account of what happened.

Each is a frozen value. `to_fields` gives what stands on its line beside the envelope, `parse` reads that back and
refuses what makes no sense; docs/journal.md has every field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights
from recall_plugin.domain.journal.fields import Fields, InvalidEvent
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import RelationKey, relation_type

HAND = "hand"  # the one origin of what a person makes by hand
SELF = "self"  # the one origin of the agent's word


class NewerEvent(ValueError):
    """An event was written by a newer program: its kind or its version is not known here."""


@dataclass(frozen=True, slots=True)
class Named:
    """How an end of a relation was called, and which entity that is."""

    key: str
    name: str
    type: EntityType

    def to_fields(self) -> dict[str, object]:
        return {"key": self.key, "name": self.name, "type": self.type.value}

    @classmethod
    def parse(cls, fields: Fields) -> Named:
        return cls(fields.text("key"), fields.text("name"), _entity_type(fields))


@dataclass(frozen=True, slots=True)
class EntityKept:
    """Decision: there is an entity of this key, and this is known of it."""

    KIND: ClassVar = "entity"
    VERSION: ClassVar = 1

    key: str
    name: str
    type: EntityType
    by: str
    aliases: tuple[str, ...] = ()
    abstract: str = ""
    overview: str = ""
    content: str = ""
    attributes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    project: str = ""

    def to_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"key": self.key, "name": self.name, "type": self.type.value, "by": self.by}
        return fields | _given(
            aliases=list(self.aliases),
            abstract=self.abstract,
            overview=self.overview,
            content=self.content,
            attributes=dict(self.attributes),
            project=self.project,
        )

    @classmethod
    def parse(cls, fields: Fields) -> EntityKept:
        return cls(
            key=fields.text("key"),
            name=fields.text("name"),
            type=_entity_type(fields),
            by=fields.text("by"),
            aliases=fields.texts("aliases"),
            abstract=fields.text_or_empty("abstract"),
            overview=fields.text_or_empty("overview"),
            content=fields.text_or_empty("content"),
            attributes=fields.text_map("attributes"),
            project=fields.text_or_empty("project"),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the archives words stand. archive, turn: counted from 1. start, end: characters of the turn's text."""

    archive: int
    turn: int
    start: int = 0
    end: int = 0

    def to_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"archive": self.archive, "turn": self.turn}
        return fields | ({"span": [self.start, self.end]} if self.start or self.end else {})


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody said that a relation holds, or that it does not.

    origin: the independent source that the words go back to. occurred_at: when they were said.
    replaces: the relation that ceased to hold by this.
    """

    KIND: ClassVar = "claim"
    VERSION: ClassVar = 1

    source: Named
    relation: str
    target: Named
    stance: Stance
    context: ExtractionContext
    provenance: Provenance
    origin: str
    occurred_at: datetime
    by: str
    quote: str = ""
    place: Place | None = None
    description: str = ""
    project: str = ""
    replaces: RelationKey | None = None

    @property
    def key(self) -> RelationKey:
        """The relation that it is about."""
        return RelationKey(self.source.key, self.relation, self.target.key)

    def to_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {
            "source": self.source.to_fields(),
            "relation": self.relation,
            "target": self.target.to_fields(),
            "stance": self.stance.value,
            "context": self.context.value,
            "class": self.provenance.value,
            "origin": self.origin,
            "occurred_at": self.occurred_at,
            "by": self.by,
        }
        fields |= self.place.to_fields() if self.place else {}
        return fields | _given(
            quote=self.quote,
            description=self.description,
            project=self.project,
            replaces=list(self.replaces) if self.replaces else None,
        )

    @classmethod
    def parse(cls, fields: Fields) -> Claim:
        place = None
        if fields.has("archive"):
            start, end = fields.span("span") if fields.has("span") else (0, 0)
            place = Place(fields.count("archive"), fields.count("turn"), start, end)
        return cls(
            source=Named.parse(fields.inner("source")),
            relation=_relation_type(fields.text("relation"), "relation"),
            target=Named.parse(fields.inner("target")),
            stance=fields.member("stance", Stance),
            context=fields.member("context", ExtractionContext),
            provenance=Provenance.of(fields.text("class")),
            origin=fields.text("origin"),
            occurred_at=fields.instant("occurred_at"),
            by=fields.text("by"),
            quote=fields.text_or_empty("quote"),
            place=place,
            description=fields.text_or_empty("description"),
            project=fields.text_or_empty("project"),
            replaces=_relation_key(fields, "replaces") if fields.has("replaces") else None,
        )


@dataclass(frozen=True, slots=True)
class Asserted:
    """Decision of a person: a relation's mean is this, whatever the evidence was; later evidence counts from there."""

    KIND: ClassVar = "assertion"
    VERSION: ClassVar = 1

    key: RelationKey
    mean: float
    by: str

    def to_fields(self) -> dict[str, object]:
        return {"about": list(self.key), "mean": self.mean, "by": self.by}

    @classmethod
    def parse(cls, fields: Fields) -> Asserted:
        return cls(_relation_key(fields, "about"), fields.share("mean"), fields.text("by"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision of a person about a relation: "wrong" (a standing mark), "confirmed" (which lifts it), or "lifted"."""

    KIND: ClassVar = "verdict"
    VERSION: ClassVar = 1
    VERDICTS: ClassVar = frozenset({"wrong", "confirmed", "lifted"})

    key: RelationKey
    verdict: str
    occurred_at: datetime
    by: str

    def to_fields(self) -> dict[str, object]:
        return {"about": list(self.key), "verdict": self.verdict, "occurred_at": self.occurred_at, "by": self.by}

    @classmethod
    def parse(cls, fields: Fields) -> Verdict:
        return cls(
            _relation_key(fields, "about"),
            fields.one_of("verdict", cls.VERDICTS),
            fields.instant("occurred_at"),
            fields.text("by"),
        )


@dataclass(frozen=True, slots=True)
class PolicySet:
    """Decision: from now on, and for all that was said before, evidence weighs this.

    self_origin: "origin": the agent's word is one origin for ever; "session": one in each session.
    """

    KIND: ClassVar = "policy"
    VERSION: ClassVar = 1
    SELF_ORIGINS: ClassVar = frozenset({"origin", "session"})

    weights: ProvenanceWeights = field(default_factory=ProvenanceWeights)
    self_origin: str = "origin"

    def to_fields(self) -> dict[str, object]:
        weights = {one.value: self.weights.of(one) for one in Provenance}
        return {"weights": weights, "self_origin": self.self_origin}

    @classmethod
    def parse(cls, fields: Fields) -> PolicySet:
        given = fields.inner("weights")
        numbers = [given.number(one.value) for one in Provenance]
        try:
            weights = ProvenanceWeights(*numbers)
        except ValueError as error:
            raise InvalidEvent(f"weights: {error}") from error
        return cls(weights, fields.one_of("self_origin", cls.SELF_ORIGINS))


@dataclass(frozen=True, slots=True)
class SessionNoted:
    """Account: what became of a session at the door. stage: "archived", or "failed" with the reason."""

    KIND: ClassVar = "session"
    VERSION: ClassVar = 1
    STAGES: ClassVar = frozenset({"archived", "failed"})

    session: str
    stage: str
    archive: int | None = None
    messages: int = 0
    tools: int = 0
    source: str = ""
    reason: str = ""

    def to_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"session": self.session, "stage": self.stage}
        return fields | _given(
            archive=self.archive,
            messages=self.messages,
            tools=self.tools,
            source=self.source,
            reason=self.reason,
        )

    @classmethod
    def parse(cls, fields: Fields) -> SessionNoted:
        return cls(
            fields.text_or_empty("session"),
            fields.one_of("stage", cls.STAGES),
            fields.count("archive") if fields.has("archive") else None,
            fields.count_or_zero("messages"),
            fields.count_or_zero("tools"),
            fields.text_or_empty("source"),
            fields.text_or_empty("reason"),
        )


@dataclass(frozen=True, slots=True)
class ArchiveNoted:
    """Account: what became of an archive in the graph. stage: "ingested" with the yield, or "failed" with the reason.

    content: 32 hexadecimal digits of the file's SHA-256. seconds: that the work took.
    """

    KIND: ClassVar = "archive"
    VERSION: ClassVar = 1
    STAGES: ClassVar = frozenset({"ingested", "failed"})

    archive: int
    stage: str
    content: str = ""
    episodes: int = 0
    windows: int = 0
    chunker: int = 0
    model: str = ""
    seconds: float = 0.0
    reason: str = ""

    def to_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"archive": self.archive, "stage": self.stage}
        return fields | _given(
            content=self.content,
            episodes=self.episodes,
            windows=self.windows,
            chunker=self.chunker,
            model=self.model,
            seconds=self.seconds,
            reason=self.reason,
        )

    @classmethod
    def parse(cls, fields: Fields) -> ArchiveNoted:
        return cls(
            fields.count("archive"),
            fields.one_of("stage", cls.STAGES),
            fields.text_or_empty("content"),
            fields.count_or_zero("episodes"),
            fields.count_or_zero("windows"),
            fields.count_or_zero("chunker"),
            fields.text_or_empty("model"),
            fields.number("seconds") if fields.has("seconds") else 0.0,
            fields.text_or_empty("reason"),
        )


@dataclass(frozen=True, slots=True)
class Printed:
    """Account: what memory showed. print: the fence's id, empty where it was shown to a person without a fence.

    entities: keys; relations: their ids; episodes: (archive, index in it).
    """

    KIND: ClassVar = "print"
    VERSION: ClassVar = 1

    print: str
    command: str
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    episodes: tuple[tuple[int, int], ...] = ()

    def to_fields(self) -> dict[str, object]:
        return {"print": self.print, "command": self.command} | _given(
            entities=list(self.entities),
            relations=list(self.relations),
            episodes=[list(episode) for episode in self.episodes],
        )

    @classmethod
    def parse(cls, fields: Fields) -> Printed:
        return cls(
            fields.text_or_empty("print"),
            fields.text("command"),
            fields.texts("entities"),
            fields.texts("relations"),
            fields.pairs("episodes"),
        )


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Account: how often things were shown on one day; stands for prints that are kept no longer."""

    KIND: ClassVar = "retrieved"
    VERSION: ClassVar = 1

    day: datetime
    entities: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    episodes: tuple[tuple[int, int, int], ...] = ()

    def to_fields(self) -> dict[str, object]:
        return {"day": self.day} | _given(
            entities=dict(self.entities), episodes=[list(episode) for episode in self.episodes]
        )

    @classmethod
    def parse(cls, fields: Fields) -> Retrieved:
        return cls(fields.instant("day"), fields.count_map("entities"), fields.counted_pairs("episodes"))


Event: TypeAlias = (
    EntityKept | Claim | Asserted | Verdict | PolicySet | SessionNoted | ArchiveNoted | Printed | Retrieved
)
_KINDS: Mapping[str, type[Event]] = {
    kind.KIND: kind
    for kind in (
        EntityKept, Claim, Asserted, Verdict, PolicySet, SessionNoted, ArchiveNoted, Printed, Retrieved
    )
}  # fmt: skip


def written(event: Event) -> dict[str, object]:
    """The event as its line holds it beside number and time: kind, version, fields; every instant as text.

    Raises InvalidEvent where `parse` would refuse it, so that nothing gets into the journal that cannot be read back.
    """
    fields = {"kind": event.KIND, "v": event.VERSION, **Fields.plain(event.to_fields())}
    parse(event.KIND, event.VERSION, fields)
    return fields


def parse(kind: str, version: int, fields: Mapping[str, object]) -> Event:
    """The event that a line holds.

    Raises NewerEvent for a kind or version that this program does not know, InvalidEvent for fields that make no sense.
    """
    known = _KINDS.get(kind)
    if known is None:
        raise NewerEvent(f"an event of the unknown kind {kind!r}")
    if version < 1:
        raise InvalidEvent(f"v: {version}, and versions begin at 1")
    if version > known.VERSION:
        raise NewerEvent(f"an event {kind!r} of version {version}, and only {known.VERSION} is known")
    return known.parse(Fields(fields))


def _given(**fields: object) -> dict[str, object]:
    """Without what is empty."""
    return {name: value for name, value in fields.items() if value not in (None, "", 0, [], {})}


def _entity_type(fields: Fields) -> EntityType:
    return fields.member("type", EntityType)


def _relation_type(text: str, name: str) -> str:
    try:
        normal = relation_type(text)
    except ValueError as error:
        raise InvalidEvent(f"{name}: {error}") from error
    if normal != text:
        raise InvalidEvent(f"{name}: not written as {normal}")
    return text


def _relation_key(fields: Fields, name: str) -> RelationKey:
    ends = fields.texts(name)
    if len(ends) != 3:
        raise InvalidEvent(f"{name}: not [source, relation, target]")
    return RelationKey(ends[0], _relation_type(ends[1], name), ends[2])
