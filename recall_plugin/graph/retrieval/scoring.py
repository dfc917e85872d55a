"""Scores: how much each of many passages has to do with a query.

The constants were chosen by recall at ten and nDCG on seven long conversations, and looked at on three others, where
they gain as much; passages were windows of at most 200 tokens, embedded behind the end of what was said before. None is
sharp: halving or doubling any of them costs two points of recall at the most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from recall_plugin.graph.retrieval.passages import Bools
from recall_plugin.graph.retrieval.runs import Run
from recall_plugin.graph.retrieval.terms import searched_terms, term_hash

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

# Windows are bounded, so their length says less than that of whole documents, and a repeated word too.
K1 = 0.9
B = 0.4
CANDIDATES = 100
DENSE_WEIGHT = 0.75
FROM_PREVIOUS = 0.3
FROM_NEXT = 0.2
_SHARE_OF_SECOND = 0.1


def lexical_scores(
    weights: Mapping[str, float], runs: tuple[Run, ...], lengths: npt.NDArray[np.uint32], eligible: Bools
) -> Scores:
    """BM25 of each passage, as if there were no others than the eligible ones: (n,), 0 where no term occurs.

    The formula is that of `domain.matching.ranking`, its length counted in terms. weights: of terms; lengths,
    eligible: (n,).
    """
    scores = np.zeros(len(lengths))
    total = int(np.count_nonzero(eligible))
    average = float(lengths[eligible].mean()) if total else 0.0
    for term, weight in weights.items():
        found = [run.postings(term_hash(term)) for run in runs]
        passages = np.concatenate([passages for passages, _ in found]) if found else np.zeros(0, np.uint32)
        if not len(passages):
            continue
        counts = np.concatenate([counts for _, counts in found]).astype(np.float64)
        kept = eligible[passages]
        passages, counts = passages[kept], counts[kept]
        holding = len(passages)
        idf = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
        norm = K1 * (1 - B + B * lengths[passages] / average) if holding else 0.0
        scores[passages] += weight * idf * counts * (K1 + 1) / (counts + norm)
    return scores


def best_lexical(query: str, total: int) -> float:
    """About the most that BM25 gives a passage for `query` among `total`: every term once, each of them rare."""
    rarest = math.log(1 + (max(total, 1) - 0.5) / 1.5)
    return max(sum(searched_terms(query).values()) * rarest, 1e-9)


def fused(lexical: Scores, dense: Scores | None) -> Scores:
    """Both kinds of score on one scale: standard deviations above the mean of the candidates, summed.

    The candidates are the CANDIDATES best of either kind, equals of the last included, so that neither the number of
    results asked for nor the size of the store moves the scale. lexical, dense: (m,); lexical 0 is no match.
    """
    candidates = _best(lexical) & (lexical > 0)
    if dense is None:
        return _normalised(lexical, candidates)
    candidates |= _best(dense)
    return _normalised(lexical, candidates) + DENSE_WEIGHT * _normalised(dense, candidates)


def with_neighbours(scores: Scores, follows: Bools) -> Scores:
    """Each passage's score and a share of its neighbours', where theirs are positive: (n,).

    An answer stands beside the question that names its subject. follows: (n,), whether a passage goes on from the one
    before it; False for the first.
    """
    share = np.maximum(scores, 0.0)
    result = scores.copy()
    result[1:] += np.where(follows[1:], FROM_PREVIOUS * share[:-1], 0.0)
    result[:-1] += np.where(follows[1:], FROM_NEXT * share[1:], 0.0)
    return result


def rolled_up(scores: Scores, starts: Places) -> Scores:
    """The score of each group: that of its best member and a tenth of the second's, if that is positive: (g,).

    scores: (m,), the members of a group together; starts: (g,), where each group begins.
    """
    best = np.maximum.reduceat(scores, starts)
    sizes = np.diff(np.append(starts, len(scores)))
    group = np.repeat(np.arange(len(starts)), sizes)
    places = np.flatnonzero(scores == best[group])
    first = places[np.unique(group[places], return_index=True)[1]]
    others = scores.copy()
    others[first] = 0.0
    return best + _SHARE_OF_SECOND * np.maximum(np.maximum.reduceat(others, starts), 0.0)


def best_places(scores: Scores, limit: int, ties: tuple[npt.NDArray[np.generic], ...]) -> Places:
    """Where the `limit` highest scores are, highest first; equals by `ties`, ascending, the first the most important.

    The first of a longer answer are those of a shorter one. scores and each of ties: (m,).
    """
    if limit <= 0 or not len(scores):
        return np.zeros(0, np.int64)
    places = np.arange(len(scores))
    if limit < len(scores):
        places = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    order = np.lexsort((*(tie[places] for tie in reversed(ties)), -scores[places]))
    return places[order[:limit]]


def _best(scores: Scores) -> Bools:
    if len(scores) <= CANDIDATES:
        return np.ones(len(scores), np.bool_)
    return np.asarray(scores >= np.partition(scores, -CANDIDATES)[-CANDIDATES])


def _normalised(scores: Scores, candidates: Bools) -> Scores:
    if not candidates.any():
        return np.zeros(len(scores))
    deviation = float(scores[candidates].std())
    if deviation < 1e-9:
        return np.zeros(len(scores))  # equals tell nothing
    return np.asarray((scores - scores[candidates].mean()) / deviation)
