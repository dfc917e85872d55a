"""Search: the passages, and the episodes, that have most to do with a query."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.graph.retrieval.passages import CLASSES, NO_TIME, Bools
from recall_plugin.graph.retrieval.scoring import (
    Places,
    Scores,
    best_places,
    fused,
    lexical_scores,
    rolled_up,
    with_neighbours,
)
from recall_plugin.graph.retrieval.terms import searched_terms
from recall_plugin.graph.retrieval.view import View

Vectors = npt.NDArray[np.float32]

# In standard deviations of the candidates' scores: it decides between equals, not against a better answer.
PROJECT_BONUS = 0.25
_BLOCK = 8192  # rows
_DEAREST = 3


@dataclass(frozen=True, slots=True)
class Filter:
    """Which passages may be found; the others are as if they were not there, for the scores of the rest, too.

    owners: archives (or entities); provenances: classes; projects: names, "" for passages of none. None: whichever.
    since, until: seconds since 1970, both included; a passage without a time is in no range.
    preferred: a project whose passages, and those of none, gain PROJECT_BONUS; it hides nothing. None: no preference.
    """

    owners: Collection[int] | None = None
    provenances: Collection[Provenance] | None = None
    projects: Collection[str] | None = None
    since: int | None = None
    until: int | None = None
    preferred: str | None = None


ANYTHING = Filter()


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found.

    owner, chunk, window, turn: as in its `Passage`. score: the blended rank, in standard deviations above the mean of
    the candidates; comparable within one answer only. lexical: BM25, 0 where no term occurs. dense: the cosine, 0.0
    without a vector.
    """

    owner: int
    chunk: int
    window: int
    turn: int
    score: float
    lexical: float
    dense: float


@dataclass(frozen=True, slots=True)
class EpisodeHit:
    """An episode found. score: of its passages together; best: the one that has most to do with the query."""

    owner: int
    chunk: int
    score: float
    best: Hit


@dataclass(frozen=True, slots=True)
class Scored:
    """The passages that may be found, each with its scores; all arrays (m,). places: in the view, ascending."""

    view: View
    places: Places
    score: Scores
    lexical: Scores
    dense: Scores

    def hits(self, limit: int) -> list[Hit]:
        """The best passages, best first; equals by owner, chunk, window. The first five are the same for any limit."""
        ties = (self._of("owner"), self._of("chunk"), self._of("window"))
        return [self._hit(int(at)) for at in best_places(self.score, limit, ties)]

    def episodes(self, limit: int) -> list[EpisodeHit]:
        """The best episodes, best first; equals by owner and chunk. The first five are the same for any limit."""
        if not len(self.places):
            return []
        owner, chunk = self._of("owner"), self._of("chunk")
        starts = np.flatnonzero(np.concatenate([[True], (owner[1:] != owner[:-1]) | (chunk[1:] != chunk[:-1])])).astype(
            np.int64
        )
        scores = rolled_up(self.score, starts)
        ends = np.append(starts[1:], len(self.places))
        found = []
        for group in best_places(scores, limit, (owner[starts], chunk[starts])):
            first, end = int(starts[group]), int(ends[group])
            best = self._hit(first + int(np.argmax(self.score[first:end])))
            found.append(EpisodeHit(best.owner, best.chunk, float(scores[group]), best))
        return found

    def _of(self, column: str) -> npt.NDArray[np.generic]:
        return np.asarray(getattr(self.view, column)[self.places])

    def _hit(self, at: int) -> Hit:
        place = self.places[at]
        return Hit(
            owner=int(self.view.owner[place]),
            chunk=int(self.view.chunk[place]),
            window=int(self.view.window[place]),
            turn=int(self.view.turn[place]),
            score=float(self.score[at]),
            lexical=float(self.lexical[at]),
            dense=float(self.dense[at]),
        )


def scored(
    view: View, matrix: Vectors, query: str, vector: Vectors | None = None, allowed: Filter = ANYTHING
) -> Scored:
    """The scores of the passages that `allowed` lets through, for a query in words and its embedding.

    Without a vector only passages that hold a word of the query are among them. matrix: (rows, d) float32 unit vectors,
    to which the passages' rows refer; a row that it has not counts as none. vector: (d,), of length 1.
    """
    eligible = _eligible(view, allowed)
    lexical = lexical_scores(searched_terms(query), view.runs, view.terms, eligible)
    places = np.flatnonzero(eligible).astype(np.int64)
    dense = None if vector is None else _cosines(matrix, view.row[places], vector)
    score = np.zeros(len(view))
    score[places] = fused(lexical[places], dense)
    score = with_neighbours(score, view.follows)
    if allowed.preferred is not None:
        liked = [number for number, name in enumerate(view.projects) if name in ("", allowed.preferred)]
        score[np.isin(view.project, liked)] += PROJECT_BONUS
    if dense is None:
        places = places[lexical[places] > 0]
        dense = np.zeros(len(places))
    return Scored(view, places, score[places], lexical[places], dense)


def _eligible(view: View, allowed: Filter) -> Bools:
    eligible = view.alive.copy()
    if allowed.owners is not None:
        eligible &= np.isin(view.owner, np.fromiter(allowed.owners, np.int64, len(allowed.owners)))
    if allowed.provenances is not None:
        eligible &= np.isin(view.provenance, [CLASSES.index(each) for each in allowed.provenances])
    if allowed.projects is not None:
        eligible &= np.isin(view.project, [n for n, name in enumerate(view.projects) if name in allowed.projects])
    if allowed.since is not None:
        eligible &= (view.time >= allowed.since) & (view.time != NO_TIME)
    if allowed.until is not None:
        eligible &= (view.time <= allowed.until) & (view.time != NO_TIME)
    return eligible


def _cosines(matrix: Vectors, rows: npt.NDArray[np.int64], vector: Vectors) -> Scores:
    """The cosine of each row, 0 for those that the matrix has not: (m,). Each depends on its row and `vector` only."""
    cosines = np.zeros(len(rows))
    known = np.flatnonzero((rows >= 0) & (rows < len(matrix)))
    # Chosen rows are copied, which costs more a row than going through all of them.
    if len(known) * _DEAREST > len(matrix):
        all_cosines = np.empty(len(matrix))
        for start in range(0, len(matrix), _BLOCK):
            block = slice(start, start + _BLOCK)
            all_cosines[block] = _products(matrix[block], vector)
        cosines[known] = all_cosines[rows[known]]
    else:
        for start in range(0, len(known), _BLOCK):
            part = known[start : start + _BLOCK]
            cosines[part] = _products(matrix[rows[part]], vector)
    return np.nan_to_num(cosines, copy=False, nan=0.0, posinf=0.0, neginf=0.0)


def _products(block: Vectors, vector: Vectors) -> Vectors:
    # Not `@`: how that sums up a row depends on where in the block it stands.
    return np.asarray(np.einsum("ij,j->i", block, vector))
