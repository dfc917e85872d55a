"""Questions: which entities, which fragments, and what is believed about them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from recall_plugin.domain.belief.decay import EXPANSION_FLOOR
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Role
from recall_plugin.domain.episodes.passages import excerpt
from recall_plugin.domain.instants import format_instant
from recall_plugin.domain.knowledge.entity import Entity, EntityType
from recall_plugin.domain.knowledge.relation import Relation
from recall_plugin.domain.scoring import blend, hotness
from recall_plugin.graph.retrieval.scoring import best_lexical
from recall_plugin.graph.retrieval.search import ANYTHING, EpisodeHit, Filter, Scored, scored
from recall_plugin.graph.store.episodes import EpisodeRecord, Part
from recall_plugin.graph.store.knowledge import EntityLine
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.views import RelationView, Sure, below_undisputed, ends, name_of, view

# However many results are asked for, these are weighed, so that the first of a long answer are those of a short one.
CANDIDATES = 500
PARENTS = 10
# Of a hub's relations the surest are compared with the question.
WEIGHED = 200
# What is less alike has nothing to do with the question, however hot it is: unrelated texts reach 0.15 with this model.
LEAST_SIMILARITY = 0.2
_EXCERPT_CHARS = 600
_SOURCES = 1
NO_VECTORS = np.empty((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class EntityHit:
    """An entity found. score: what it is ranked by; the other three: what that is made of, in [0, 1].

    via: the relation that led to it, where that counts for more than its own words and meaning.
    """

    line: EntityLine
    score: float
    similarity: float
    hotness: float
    utility: float
    via: RelationView | None = None


@dataclass(frozen=True, slots=True)
class Following:
    """What was said next, where what was found is a question: the answer may stand there."""

    text: str
    turn: int
    role: Role

    def to_json(self) -> dict[str, object]:
        """The documented shape (docs/commands.md)."""
        return {"turn": self.turn, "role": self.role.value, "text": self.text}


@dataclass(frozen=True, slots=True)
class Fragment:
    """An episode found, and the part of it that answers: whole sentences, cuts marked, with where they stand.

    following: the next turn, where the part is a question.
    """

    episode: EpisodeRecord
    score: float
    excerpt: str
    turn: int
    role: Role
    provenance: Provenance
    time: datetime | None
    following: Following | None = None

    @property
    def source_line(self) -> str:
        """Where it stands, in one line."""
        when = f", {format_instant(self.time)}" if self.time else ""
        return f"conversation {self.episode.key[0]:03d}, turn {self.turn}, {self.role}{when}"

    def to_json(self) -> dict[str, object]:
        """The documented shape of an episode found (docs/commands.md)."""
        return {
            "archive": self.episode.key[0],
            "episode": self.episode.key[1],
            "turn": self.turn,
            "role": self.role.value,
            "time": format_instant(self.time) if self.time else None,
            "class": self.provenance.value,
            "project": self.episode.project or None,
            "session": self.episode.session,
            "score": round(self.score, 4),
            "text": self.excerpt,
            "following": self.following.to_json() if self.following else None,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What memory has to say to a question."""

    entities: tuple[EntityHit, ...]
    relations: tuple[tuple[RelationView, float], ...]
    fragments: tuple[Fragment, ...]


async def search(
    graph: Graph,
    query: str,
    *,
    now: datetime,
    limit: int,
    types: Collection[EntityType] = (),
    keyword: bool = False,
) -> list[EntityHit]:
    """The entities that have most to do with `query`, best first. types: only these, where any are given.

    keyword: by their words alone; no model is needed.
    """
    cache = await graph.searcher.entity_cache(vectors=not keyword)
    vector = None if keyword else await graph.searcher.query_vector(query)
    matrix = NO_VECTORS if vector is None else (await graph.searcher.vectors()).matrix
    found = await asyncio.to_thread(scored, cache.view, matrix, query, vector)
    numbers = [hit.owner for hit in found.hits(len(found.places) if types else CANDIDATES)]
    lines = {line.number: line for line in await graph.knowledge.lines(None if types else numbers)}
    wanted = [lines[number] for number in numbers if number in lines and (not types or lines[number].type in types)]
    similarities = _similarities(found, query, keyword=keyword)
    hits = [
        _entity_hit(graph, line, similarities[line.number], now)
        for line in wanted[:CANDIDATES]
        if similarities[line.number] >= LEAST_SIMILARITY
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.line.number))[:limit]


async def episodes(graph: Graph, query: str, *, limit: int, allowed: Filter = ANYTHING) -> list[Fragment]:
    """The episodes that have most to do with `query`, best first, each with the sentences that answer."""
    cache = await graph.searcher.episode_cache()
    vector = await graph.searcher.query_vector(query)
    matrix = (await graph.searcher.vectors()).matrix
    found = await asyncio.to_thread(scored, cache.view, matrix, query, vector, allowed)
    most = best_lexical(query, len(cache.view))
    best = found.episodes(max(limit, CANDIDATES))
    hits = [hit for hit in best if max(hit.best.dense, hit.best.lexical / most) >= LEAST_SIMILARITY][:limit]
    keys = [(hit.owner, chunk) for hit in hits for chunk in (hit.chunk, hit.chunk + 1)]
    records = await graph.episodes.episodes(keys)
    return [_fragment(records, hit) for hit in hits if (hit.owner, hit.chunk) in records]


async def query(graph: Graph, question: str, sure: Sure, *, limit: int, allowed: Filter = ANYTHING) -> Answer:
    """Entities, what is believed around them, and the fragments behind it; `limit` of each at the most.

    From each of the ten best entities one step is taken: its neighbours have its score times the relation's effective
    confidence, where that is 0.1 or more and more than their own. The relations are ranked by the same score, as far as
    their own words have to do with the question.
    """
    hits = await search(graph, question, now=sure.now, limit=CANDIDATES)
    parents = {hit.line.key: hit for hit in hits[:PARENTS]}
    around = await graph.knowledge.around(list(parents))
    scores = _relation_scores(around, parents, sure)
    clear = [relation for relation in around if relation.key.id in scores]
    names = await graph.knowledge.entities(ends(clear))
    ordered = sorted(clear, key=lambda one: (-scores[one.key.id], sure.order(one), one.number))
    ranks = await _ranks(graph, question, ordered[:WEIGHED], names, scores)
    ordered = sorted(ordered, key=lambda one: -ranks.get(one.key.id, 0.0))
    shown = below_undisputed(ordered)[:limit]
    sources = await graph.knowledge.observations([relation.key for relation in shown], _SOURCES)
    views = [view(relation, names, sure, sources[relation.key]) for relation in shown]
    reached = await _neighbours(graph, [view(relation, names, sure) for relation in ordered], parents)
    best = {hit.line.key: hit for hit in hits}
    for hit in reached:
        if hit.line.key not in best or hit.score > best[hit.line.key].score:
            best[hit.line.key] = hit
    entities = sorted(best.values(), key=lambda hit: (-hit.score, hit.line.number))
    return Answer(
        tuple(entities[:limit]),
        tuple((one, ranks.get(one.relation.key.id, 0.0)) for one in views),
        tuple(await episodes(graph, question, limit=limit, allowed=allowed)),
    )


async def _ranks(
    graph: Graph, question: str, relations: list[Relation], names: dict[str, Entity], scores: dict[str, float]
) -> dict[str, float]:
    """By the relation's id: its score, from a half of it where its words are of something else, to the whole."""
    vector = await graph.searcher.query_vector(question)
    texts = [relation_text(relation, names) for relation in relations]
    if vector is None or not texts:
        return {relation.key.id: scores[relation.key.id] for relation in relations}
    found = await graph.searcher.embedded(texts)
    vectors = await graph.searcher.vectors()
    rows = vectors.rows(found.digests)
    likeness = np.where(rows >= 0, np.clip(vectors.matrix[rows] @ vector, 0.0, 1.0), 0.0)
    return {
        relation.key.id: scores[relation.key.id] * (1.0 + float(like)) / 2
        for relation, like in zip(relations, likeness, strict=True)
    }


def relation_text(relation: Relation, names: dict[str, Entity]) -> str:
    """A relation in words, as it is compared with a question: `api listens on port 22`."""
    verb = relation.key.type.lower().replace("_", " ")
    sentence = f"{name_of(relation.key.source, names)} {verb} {name_of(relation.key.target, names)}"
    return f"{sentence}: {relation.description}" if relation.description else sentence


def _relation_scores(around: list[Relation], parents: dict[str, EntityHit], sure: Sure) -> dict[str, float]:
    """By the relation's id: the better parent's score times the effective confidence; faint ones left out."""
    scores: dict[str, float] = {}
    for relation in around:
        effective = sure.effective(relation)
        if effective >= EXPANSION_FLOOR:
            best = max(parents[end].score for end in (relation.key.source, relation.key.target) if end in parents)
            scores[relation.key.id] = best * effective
    return scores


async def _neighbours(graph: Graph, views: list[RelationView], parents: dict[str, EntityHit]) -> list[EntityHit]:
    """The entities that the relations lead to, each by the best one; nothing is reached by what is disputed."""
    best: dict[str, tuple[float, RelationView]] = {}
    for one in views:
        if one.relation.disputed or one.relation.valid_until is not None:
            continue
        source, target = one.relation.key.source, one.relation.key.target
        for parent, end in ((source, target), (target, source)):
            if parent in parents:
                score = parents[parent].score * one.effective
                if end not in best or score > best[end][0]:
                    best[end] = (score, one)
    lines = await graph.knowledge.lines_of(list(best))
    return [EntityHit(line, best[line.key][0], 0.0, 0.0, line.utility, via=best[line.key][1]) for line in lines]


def _similarities(found: Scored, question: str, *, keyword: bool) -> dict[int, float]:
    """By the entity's number, in [0, 1]: the better of its cosine, and of that and the share of the words together.

    keyword: the share of the words alone.
    """
    words = np.clip(found.lexical / best_lexical(question, len(found.view)), 0.0, 1.0)
    dense = np.clip(found.dense, 0.0, 1.0)
    values = words if keyword else np.maximum(dense, (dense + words) / 2)
    owners = found.view.owner[found.places]
    return dict(zip(owners.tolist(), values.tolist(), strict=True))


def _entity_hit(graph: Graph, line: EntityLine, similarity: float, now: datetime) -> EntityHit:
    used_at = line.last_access or line.updated_at
    days = max((now - used_at).total_seconds() / 86400, 0.0)
    hot = hotness(line.accesses, days, graph.settings.hotness_half_life)
    score = blend(similarity, hot, line.utility, graph.settings.scoring)
    return EntityHit(line, score, similarity, hot, line.utility)


def _fragment(records: dict[tuple[int, int], EpisodeRecord], hit: EpisodeHit) -> Fragment:
    episode = records[hit.owner, hit.chunk]
    window = episode.windows[hit.best.window]
    part, text = episode.part_of(window)
    start = window.start - part.span.start
    length = window.end - window.start
    # The answer may stand anywhere in the window, which is therefore shown whole, however long it is.
    shown = excerpt(text, start, start + length, max(length, _EXCERPT_CHARS))
    following = None
    if text[: start + length].rstrip().endswith(("?", "？", "؟")):
        following = _next_said(episode, records.get((hit.owner, hit.chunk + 1)), part)
    return Fragment(episode, hit.score, shown, part.span.turn, part.role, part.provenance, part.time, following)


def _next_said(episode: EpisodeRecord, after: EpisodeRecord | None, part: Part) -> Following | None:
    """The beginning of the next turn that is no tool's, in this episode or at the beginning of the one after it."""
    for record in (episode, after):
        for other in record.parts if record is not None else ():
            if other.span.turn > part.span.turn and other.role is not Role.TOOL and record is not None:
                text = record.text_of(other.span)
                return Following(excerpt(text, 0, 0, _EXCERPT_CHARS), other.span.turn, other.role)
    return None
