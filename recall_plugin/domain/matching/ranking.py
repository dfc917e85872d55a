"""Matching: how a question in words finds texts, in any script, without an index.

A text is folded (`fold`), a query becomes weighted terms (`query_terms`), and documents are ranked by BM25 in one pass
over them (`Bm25`, `rank`). A document in which no term occurs is done with after a search for a few substrings; nothing
is tokenised. Line breaks survive folding, so a match is shown by its line (`matching_lines`) and needs no map of
positions.

BM25 is that of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with k1 = 1.2,
b = 0.75, and Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. A document's length is counted
in characters, so that no script needs a tokeniser.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from recall_plugin.domain.matching.query import END_OF_WORD, Term, query_terms
from recall_plugin.domain.text.folding import fold
from recall_plugin.domain.text.scripts import UNSPACED, WORD_CHARS

__all__ = ["Bm25", "Term", "fold", "query_terms", "rank"]

_WORD_CHARACTER = re.compile(rf"(?![{UNSPACED}])[{WORD_CHARS}]")

K1 = 1.2
B = 0.75
_VARIANT = 0.8  # what another form of the word counts, beside 1 for the word itself
_PROXIMITY = 0.5  # what two neighbouring terms side by side add, as a share of the smaller idf
_NEAR = 60  # characters: further apart, two terms are no neighbours
_MOST_ASKING = 1000  # documents with question words only that are kept
_MOST_HITS = 24  # of a term in a document: more would change its score by less than a twentieth
_MOST_MISSES = 64  # substrings that turn out to be no words, before the regex engine takes over


class _Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=_Ordered)


class _Match(NamedTuple, Generic[K]):
    """What is kept of a document that holds a term."""

    key: K
    length: int  # characters
    counts: tuple[float, ...]  # of each term
    near: tuple[float, ...]  # of each pair of neighbouring content terms: 1 side by side, 0 far apart or absent
    is_content: bool


class Bm25(Generic[K]):
    """Takes documents one by one and ranks those that match a query. Only counts are kept, and only of matching ones.

    Memory grows with the number of documents that hold a content word of the query (some 200 bytes each). Those that
    hold question words only are counted, and 2,000 of them are kept at the most, those with the most such words.
    """

    def __init__(self, query: str) -> None:
        self.terms = query_terms(query)
        self._lookups = [_Lookup(term) for term in self.terms]
        self._content = [place for place, term in enumerate(self.terms) if term.is_content] or list(
            range(len(self.terms))
        )
        self._low = sorted(set(range(len(self.terms))).difference(self._content))
        self._matches: list[_Match[K]] = []
        self._merely_asking: list[_Match[K]] = []
        self._documents = 0
        self._characters = 0
        self._holding = [0] * len(self.terms)

    def add(self, key: K, text: str) -> None:
        """The document is taken into account. key: sorts among the others, to break ties."""
        folded = fold(text)
        self._documents += 1
        self._characters += len(folded)
        counts = [0.0] * len(self.terms)
        places: list[list[int]] = []
        is_content = False
        for index in self._content:
            count, where = self._lookups[index].count(folded)
            counts[index] = count
            places.append(where)
            is_content = is_content or count > 0
        for index in self._low:
            if self._lookups[index].occurs(folded):
                counts[index] = 1.0
        if not any(counts):
            return
        for index, count in enumerate(counts):
            self._holding[index] += count > 0
        near = tuple(_nearness(one, other) for one, other in pairwise(places)) if is_content else ()
        match = _Match(key, len(folded), tuple(counts), near, is_content)
        if is_content:
            self._matches.append(match)
            return
        self._merely_asking.append(match)
        if len(self._merely_asking) > 2 * _MOST_ASKING:
            self._merely_asking = heapq.nsmallest(
                _MOST_ASKING, self._merely_asking, key=lambda each: (-sum(each.counts), each.key)
            )

    def best(self, limit: int) -> list[tuple[K, float]]:
        """At most `limit` documents with their scores, all positive, highest first; equals by key.

        A document without any content word of the query comes, and scores, below all that hold one.
        """
        idf = [math.log(1 + (self._documents - n + 0.5) / (n + 0.5)) for n in self._holding]
        average = self._characters / self._documents if self._documents else 1.0

        def ranked(matches: list[_Match[K]]) -> list[tuple[K, float]]:
            scored = [(match.key, self._score(match, idf, average or 1.0)) for match in matches]
            return heapq.nsmallest(max(limit, 0), scored, key=lambda pair: (-pair[1], pair[0]))

        found = ranked(self._matches)
        if len(found) < limit:
            ceiling = found[-1][1] if found else math.inf
            for key, score in ranked(self._merely_asking)[: limit - len(found)]:
                found.append((key, min(score, ceiling * score / (1 + score)) if math.isfinite(ceiling) else score))
        return found

    def _score(self, match: _Match[K], idf: list[float], average: float) -> float:
        norm = K1 * (1 - B + B * match.length / average)
        score = 0.0
        for index, count in enumerate(match.counts):
            if count:
                score += self.terms[index].weight * idf[index] * count * (K1 + 1) / (count + norm)
        for place, near in enumerate(match.near):
            if near:
                one, other = self._content[place], self._content[place + 1]
                weight = min(self.terms[one].weight * idf[one], self.terms[other].weight * idf[other])
                score += _PROXIMITY * near * weight
        return score


def rank(query: str, documents: Iterable[tuple[K, str]], limit: int) -> list[tuple[K, float]]:
    """The `limit` documents that match `query` best, with scores; see `Bm25`. `documents` is read once, in order."""
    ranking: Bm25[K] = Bm25(query)
    for key, text in documents:
        ranking.add(key, text)
    return ranking.best(limit)


class _Lookup:
    """Finds one term in folded text, in time linear in its length."""

    def __init__(self, term: Term) -> None:
        self._term = term
        self._anywhere = not term.whole
        self._endings = tuple(
            re.compile(f"{term.ending if place == 0 else ''}{END_OF_WORD}") for place, _ in enumerate(term.stems)
        )
        self._regexes = tuple(re.compile(rf"(?<![{WORD_CHARS}]){re.escape(stem)}") for stem in term.stems)

    def count(self, text: str) -> tuple[float, list[int]]:
        """How often the term occurs, other forms counting less, and where; up to 24 times."""
        total = 0.0
        places: list[int] = []
        for index, stem in enumerate(self._term.stems):
            if stem in text:
                total += self._collect(text, index, stem, places)
        places.sort()
        return total, places

    def _collect(self, text: str, index: int, stem: str, places: list[int]) -> float:
        total = 0.0
        at = text.find(stem)
        misses = 0
        whole = self._term.text
        while at >= 0 and len(places) < _MOST_HITS:
            end = at + len(stem)
            if self._anywhere:
                total += 1.0
                places.append(at)
            elif self._begins(text, at) and (ending := self._endings[index].match(text, end)):
                same = text.startswith(whole, at) and ending.end() <= at + len(whole) + 2
                total += 1.0 if same else _VARIANT
                places.append(at)
            else:
                misses += 1
                if misses > _MOST_MISSES:
                    return total + self._sweep(text, index, end, places)
            at = text.find(stem, end)
        return total

    def _sweep(self, text: str, index: int, start: int, places: list[int]) -> float:
        """The same from `start` on, where most substrings are no words, at the regex engine's pace."""
        total = 0.0
        size = len(self._term.stems[index])
        for match in self._regexes[index].finditer(text, start):
            if self._endings[index].match(text, match.start() + size):
                total += _VARIANT
                places.append(match.start())
                if len(places) >= _MOST_HITS:
                    break
        return total

    def occurs(self, text: str) -> bool:
        """Whether the term occurs."""
        stem = self._term.stems[0]
        if stem not in text:
            return False
        places: list[int] = []
        return self._anywhere or self._collect(text, 0, stem, places) > 0

    @staticmethod
    def _begins(text: str, at: int) -> bool:
        return at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_") or not _WORD_CHARACTER.match(text, at - 1)


def _nearness(one: list[int], other: list[int]) -> float:
    """How close two terms come: 1 within ten characters, falling to 0 at sixty. Both lists sorted."""
    best = _NEAR
    first = second = 0
    while first < len(one) and second < len(other):
        gap = other[second] - one[first]
        best = min(best, abs(gap))
        if gap > 0:
            first += 1
        else:
            second += 1
    return min(1.0, (_NEAR - best) / (_NEAR - 10))
