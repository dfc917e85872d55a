"""Entities: named things, in three depths."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})


class EntityType(StrEnum):
    """The seventeen kinds of things."""

    PERSON = "person"
    PROJECT = "project"
    TOOL = "tool"
    SERVICE = "service"
    PREFERENCE = "preference"
    DECISION = "decision"
    EVENT = "event"
    CONCEPT = "concept"
    CASE = "case"
    PATTERN = "pattern"
    THREAD = "thread"
    THOUGHT = "thought"
    QUESTION = "question"
    OBSERVATION = "observation"
    POLICY = "policy"
    MEASUREMENT = "measurement"
    OUTCOME = "outcome"

    @property
    def appends(self) -> bool:
        """Whether what is said of such an entity is added to it, where of others the latest stands."""
        return self in _APPENDING


_APPENDING = frozenset(
    {
        EntityType.DECISION,
        EntityType.EVENT,
        EntityType.CASE,
        EntityType.OBSERVATION,
        EntityType.MEASUREMENT,
        EntityType.OUTCOME,
    }
)


# More is nonsense, and more than stores can hold.
_MOST_ACCESSES = 2**53


@dataclass(frozen=True, slots=True)
class Accesses:
    """How often something was recalled, and when last (None: never)."""

    count: int = 0
    last: datetime | None = None

    def added(self, times: int, at: datetime) -> Accesses:
        """These and `times` more, the latest of them at `at`."""
        return Accesses(min(self.count + times, _MOST_ACCESSES), max(self.last, at) if self.last else at)


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing.

    key: made once, by the event that named it first; nothing else identifies it.
    abstract, overview, content: the three depths: a sentence, a paragraph, everything.
    number: of the event that made it. utility: in [0, 1], 0.5 where no outcome told.
    """

    key: str
    name: str
    type: EntityType
    number: int
    created_at: datetime
    updated_at: datetime
    aliases: tuple[str, ...] = ()
    abstract: str = ""
    overview: str = ""
    content: str = ""
    attributes: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    project: str = ""
    accesses: Accesses = Accesses()
    utility: float = 0.5


def entity_key(name_key: str, entity_type: EntityType, salt: str = "") -> str:
    """The key that a new entity gets: 20 hexadecimal digits, the same for the same folded name, type and salt.

    salt: tells apart entities that share name and type.
    """
    return hashlib.sha256(f"{name_key}\0{entity_type}\0{salt}".encode("utf-8", "replace")).hexdigest()[:20]
