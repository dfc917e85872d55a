"""From a name that somebody typed to the entity that it means."""

from __future__ import annotations

from dataclasses import dataclass

from recall_plugin.domain.knowledge.entity import Entity, EntityType, entity_key
from recall_plugin.domain.naming import clean_name, name_key, suggestions
from recall_plugin.errors import AmbiguousName, EntityExists, UnknownEntity, UsageError
from recall_plugin.files.redaction import redact
from recall_plugin.graph.store.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class Wanted:
    """An entity as somebody names it. type: which of several of one name, None where that was not said.

    whole: the name, where what was taken for a type may be the beginning of it, as in `Project: Apollo`.
    """

    name: str
    type: EntityType | None = None
    whole: str = ""

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """`NAME`, or `TYPE:NAME` to tell entities of one name apart. Raises UsageError for what is no name."""
        prefix, colon, rest = text.partition(":")
        known = {entity_type.value: entity_type for entity_type in EntityType}
        if colon and rest.strip() and prefix.strip().lower() in known:
            return cls(cleaned(rest), known[prefix.strip().lower()], cleaned(text))
        return cls(cleaned(text))


def cleaned(text: str) -> str:
    """A name as it is kept: clean, its secrets masked. Raises UsageError."""
    try:
        return clean_name(redact(text))
    except ValueError as error:
        raise UsageError(str(error), hint="give a short name, and the rest as its abstract or content") from error


async def find(knowledge: Knowledge, wanted: Wanted) -> Entity:
    """The one entity that is meant. Raises UnknownEntity with suggestions, AmbiguousName."""
    key = name_key(wanted.name)
    found = await knowledge.named(key)
    if wanted.type is not None:
        found = [entity for entity in found if entity.type is wanted.type]
    if not found and wanted.whole:
        key = name_key(wanted.whole)
        found = await knowledge.named(key)
    # A name of its own is meant rather than somebody's other name.
    own = [entity for entity in found if name_key(entity.name) == key]
    if len(own or found) == 1:
        return (own or found)[0]
    if found:
        raise AmbiguousName(wanted.name, [f"{entity.type}:{entity.name}" for entity in own or found])
    raise UnknownEntity(wanted.name, suggestions(wanted.name, await knowledge.names()))


async def free_key(knowledge: Knowledge, name: str, entity_type: EntityType) -> str:
    """The key for a new entity of this name and type. Raises EntityExists."""
    for entity in await knowledge.named(name_key(name)):
        if entity.type is entity_type:
            raise EntityExists(entity.type, entity.name)
    return entity_key(name_key(name), entity_type)
