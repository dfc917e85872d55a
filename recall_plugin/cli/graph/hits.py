"""How what was found is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recall_plugin.memory.graph.asking import EntityHit, Fragment
from recall_plugin.memory.graph.views import RelationView, observation_line


def entity_lines(hits: Iterable[EntityHit]) -> Iterator[str]:
    """A line for each entity: score, name, type, abstract, and how it was come by."""
    for hit in hits:
        about = f": {hit.line.abstract}" if hit.line.abstract else ""
        via = f"  ← {hit.via.line}" if hit.via else ""
        yield f"{hit.score:.2f}  {hit.line.name} ({hit.line.type}){about}{via}"


def entity_hit_to_json(hit: EntityHit) -> dict[str, object]:
    """The documented shape of an entity found (docs/commands.md)."""
    return {
        "key": hit.line.key,
        "name": hit.line.name,
        "type": hit.line.type.value,
        "aliases": list(hit.line.aliases),
        "abstract": hit.line.abstract,
        "project": hit.line.project or None,
        "score": round(hit.score, 4),
        "similarity": round(hit.similarity, 4),
        "hotness": round(hit.hotness, 4),
        "utility": round(hit.utility, 4),
        "via": hit.via.relation.key.id if hit.via else None,
    }


def relation_lines(relations: Iterable[tuple[RelationView, float]]) -> Iterator[str]:
    """Two lines for each relation: what is believed, and why."""
    for one, score in relations:
        yield f"{score:.2f}  {one.line}"
        why = "" if one.relation.disputed else f"{one.standing}; "
        yield f"      {why}{observation_line(one.sources[0])}" if one.sources else f"      {one.standing}"


def fragment_lines(fragments: Sequence[Fragment]) -> Iterator[str]:
    """Where each fragment stands, and its words."""
    for place, fragment in enumerate(fragments):
        if place:
            yield ""
        yield fragment.source_line
        yield from (f"  {line}" for line in fragment.excerpt.split("\n"))
        if fragment.following is not None:
            yield f"  [turn {fragment.following.turn}, {fragment.following.role}]"
            yield from (f"  {line}" for line in fragment.following.text.split("\n"))
