"""A search finds what a slow and simple one finds."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.passages import Passage
from recall_plugin.graph.retrieval.scoring import DENSE_WEIGHT, FROM_NEXT, FROM_PREVIOUS, K1, B
from recall_plugin.graph.retrieval.search import ANYTHING, PROJECT_BONUS, Filter, Hit, Scored, Vectors, scored
from recall_plugin.graph.retrieval.terms import passage_terms, searched_terms

NO_VECTORS = np.zeros((0, 4), np.float32)
# Products of these are exact, so that equals are equals in both searches.
AXES = np.concatenate([np.eye(4), -np.eye(4), np.full((1, 4), 0.5)]).astype(np.float32)

WORDS = ["queue", "queues", "Kestrel", "we", "chose", "choose", "部署窗口", "窗口", "книгами", "книга", "Zoë", "a.b"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=12)
PASSAGES = st.builds(
    Passage,
    owner=st.just(0),
    chunk=st.just(0),
    window=st.just(0),
    text=TEXTS,
    row=st.integers(-1, len(AXES) + 1),
    provenance=st.sampled_from(Provenance),
    time=st.none() | st.integers(0, 5),
    project=st.sampled_from(["", "api", "部署"]),
)
CHANGES = st.lists(st.tuples(st.integers(1, 5), st.lists(PASSAGES, max_size=4)), max_size=8)
FILTERS = st.builds(
    Filter,
    owners=st.none() | st.sets(st.integers(1, 6)),
    provenances=st.none() | st.sets(st.sampled_from(Provenance)),
    projects=st.none() | st.sets(st.sampled_from(["", "api", "unknown"])),
    since=st.none() | st.integers(0, 5),
    until=st.none() | st.integers(0, 5),
    preferred=st.none() | st.sampled_from(["api", "unknown"]),
)


def placed(owner: int, passages: Sequence[Passage]) -> list[Passage]:
    return [replace(each, owner=owner, chunk=at // 2, window=at % 2) for at, each in enumerate(passages)]


def allows(allowed: Filter, passage: Passage) -> bool:
    has_time = passage.time is not None
    return (
        (allowed.owners is None or passage.owner in allowed.owners)
        and (allowed.provenances is None or passage.provenance in allowed.provenances)
        and (allowed.projects is None or passage.project in allowed.projects)
        and (allowed.since is None or (has_time and passage.time >= allowed.since))  # type: ignore[operator]
        and (allowed.until is None or (has_time and passage.time <= allowed.until))  # type: ignore[operator]
    )


def naive(
    all_passages: Sequence[Passage], query: str, vector: Vectors | None, allowed: Filter
) -> dict[tuple[int, int, int], tuple[float, float, float]]:
    """(owner, chunk, window) -> (score, lexical, dense), by the formulas, one passage after the other."""
    may = [allows(allowed, each) for each in all_passages]
    counts = [passage_terms(each.text) for each in all_passages]
    lengths = [sum(each.values()) for each in counts]
    total = sum(may)
    average = sum(length for length, ok in zip(lengths, may, strict=True) if ok) / max(1, total)
    lexical = [0.0] * len(all_passages)
    for term, weight in searched_terms(query).items():
        holding = sum(ok and term in each for ok, each in zip(may, counts, strict=True))
        idf = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
        for at, held in enumerate(counts):
            if may[at] and term in held:
                norm = K1 * (1 - B + B * lengths[at] / average)
                lexical[at] += weight * idf * held[term] * (K1 + 1) / (held[term] + norm)
    dense = [
        float(AXES[each.row] @ vector) if vector is not None and 0 <= each.row < len(AXES) else 0.0
        for each in all_passages
    ]
    # Fewer passages than candidates: all that may be found are candidates.
    chosen = [at for at, ok in enumerate(may) if ok and (vector is not None or lexical[at] > 0)]

    def scaled(values: list[float]) -> list[float]:
        mean = sum(values[at] for at in chosen) / max(1, len(chosen))
        deviation = math.sqrt(sum((values[at] - mean) ** 2 for at in chosen) / max(1, len(chosen)))
        return [(value - mean) / deviation if deviation > 1e-9 else 0.0 for value in values]

    scores = scaled(lexical)
    if vector is not None:
        scores = [one + DENSE_WEIGHT * other for one, other in zip(scores, scaled(dense), strict=True)]
    result = {}
    for at, each in enumerate(all_passages):
        if may[at] and (vector is not None or lexical[at] > 0):
            score = scores[at]
            for other, share in ((at - 1, FROM_PREVIOUS), (at + 1, FROM_NEXT)):
                if 0 <= other < len(all_passages) and all_passages[other].owner == each.owner and may[other]:
                    score += share * max(0.0, scores[other])
            if allowed.preferred is not None and each.project in ("", allowed.preferred):
                score += PROJECT_BONUS
            result[each.owner, each.chunk, each.window] = (score, lexical[at], dense[at])
    return result


def key(hit: Hit) -> tuple[int, int, int]:
    return hit.owner, hit.chunk, hit.window


@settings(max_examples=50)
@given(CHANGES, TEXTS, st.none() | st.integers(0, len(AXES) - 1), FILTERS, st.booleans())
def test_a_search_finds_what_the_formulas_say(
    changes: list[tuple[int, list[Passage]]], query: str, axis: int | None, allowed: Filter, reopens: bool
) -> None:
    vector = None if axis is None else AXES[axis]
    owners: dict[int, list[Passage]] = {}
    with tempfile.TemporaryDirectory() as name:
        cache = SearchCache(Path(name), 1)
        cache.rebuild(1, [])
        for owner, passages in changes:
            owners[owner] = placed(owner, passages)
            if passages:
                cache.put(owners[owner])
            else:
                cache.remove([owner])
        if reopens:
            cache = SearchCache(Path(name), 1)
            assert not cache.stale
        result = scored(cache.view, AXES, query, vector, allowed)

        hits = result.hits(1000)
        expected = naive([each for passages in owners.values() for each in passages], query, vector, allowed)
        assert {key(hit) for hit in hits} == set(expected)
        for hit in hits:
            assert (hit.score, hit.lexical, hit.dense) == pytest.approx(expected[key(hit)], abs=1e-9)
        for one, other in pairwise(hits):
            assert one.score > other.score or (one.score == other.score and key(one) < key(other))
        episodes = result.episodes(1000)
        assert {(each.owner, each.chunk) for each in episodes} == {(hit.owner, hit.chunk) for hit in hits}
        for episode in episodes:
            best, *others = (hit for hit in hits if (hit.owner, hit.chunk) == (episode.owner, episode.chunk))
            assert episode.best == best
            assert episode.score == pytest.approx(best.score + 0.1 * max(0.0, *(hit.score for hit in others), 0.0))
        for limit in range(6):
            assert result.hits(limit) == hits[:limit]
            assert result.episodes(limit) == episodes[:limit]


def index(folder: Path, *texts: str) -> SearchCache:
    """Each text an archive of its own, numbered from 1."""
    cache = SearchCache(folder, 1)
    cache.rebuild(1, [[Passage(owner, 0, 0, text)] for owner, text in enumerate(texts, 1)])
    return cache


def owners(result: Scored, limit: int = 10) -> list[int]:
    return [each.owner for each in result.episodes(limit)]


DISTRACTORS = (
    "Which queue is it? The queue is full again, the queue is stuck.",
    "Last week the queue was slow, exactly as the week before.",
    "We talked about the queue for a week. Which one did you mean, exactly?",
    "A queue is a list of messages; every queue needs a consumer.",
)


def test_question_words_do_not_hide_what_was_decided(tmp_path: Path) -> None:
    cache = index(tmp_path, *DISTRACTORS, "We chose Kestrel as the queue.", "Lunch was good.")

    assert owners(scored(cache.view, NO_VECTORS, "Which queue did we choose last week, exactly?"))[0] == 5


def test_a_word_is_found_within_a_script_without_spaces(tmp_path: Path) -> None:
    cache = index(tmp_path, "部署窗口是周二", "部署很顺利", "The deployment window is Tuesday")

    assert owners(scored(cache.view, NO_VECTORS, "窗口")) == [1]


def test_the_only_passage_is_found(tmp_path: Path) -> None:
    cache = index(tmp_path, "We chose Kestrel as the queue.")

    assert owners(scored(cache.view, NO_VECTORS, "queue")) == [1]
    assert owners(scored(cache.view, NO_VECTORS, "bees")) == []


@pytest.mark.parametrize("query", ["", " ", "???", "\udc80", "\0", "é" * 10_000, "的"])
def test_a_query_of_nothing_much_finds_nothing_and_breaks_nothing(tmp_path: Path, query: str) -> None:
    cache = index(tmp_path, "We chose Kestrel as the queue.", "")

    assert owners(scored(cache.view, NO_VECTORS, query)) == []
    assert owners(scored(index(tmp_path / "empty").view, NO_VECTORS, query, np.zeros(4, np.float32))) == []


def test_a_preference_decides_between_equals_and_hides_nothing(tmp_path: Path) -> None:
    cache = SearchCache(tmp_path, 1)
    names = ["api", "web", "", "api"]
    texts = ["the queue", "the queue", "the queue", "nothing of the kind"]
    cache.rebuild(1, [[Passage(at, 0, 0, text, row=0, project=names[at]) for at, text in enumerate(texts)]])

    def order(allowed: Filter) -> list[int]:
        return [hit.owner for hit in scored(cache.view, AXES, "queue", AXES[0], allowed).hits(10)]

    assert order(ANYTHING) == [0, 1, 2, 3]
    assert order(Filter(preferred="web")) == [1, 2, 0, 3]
    assert order(Filter(projects=["web"])) == [1]


def test_a_damaged_vector_hides_nothing(tmp_path: Path) -> None:
    cache = SearchCache(tmp_path, 1)
    cache.rebuild(1, [[Passage(owner, 0, 0, "the queue", row=owner) for owner in range(3)]])
    matrix = np.array([[np.nan] * 4, AXES[0], AXES[1]], np.float32)
    hits = scored(cache.view, matrix, "", AXES[0]).hits(3)

    assert [hit.owner for hit in hits] == [1, 0, 2]
    assert hits[0].dense == 1.0


@pytest.mark.parametrize("share", [0.01, 0.2, 1.0])
def test_equal_vectors_have_equal_cosines_wherever_they_stand(tmp_path: Path, share: float) -> None:
    rng = np.random.default_rng(3)
    row = rng.normal(size=384).astype(np.float32)
    matrix = np.tile(row / np.linalg.norm(row), (20_001, 1))
    cache = SearchCache(tmp_path, 1)
    last = int(20_001 * share) - 1
    cache.rebuild(1, [[Passage(owner, 0, 0, "", row=owner) for owner in range(last + 1)]])
    hits = scored(cache.view, matrix, "", matrix[0]).hits(last + 1)

    assert len({hit.dense for hit in hits}) == 1
    assert [hit.owner for hit in hits] == list(range(last + 1))
