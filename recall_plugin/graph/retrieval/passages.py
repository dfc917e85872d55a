"""A passage: what search finds, and how it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from recall_plugin.domain.belief.provenance import Provenance

NO_ROW = -1
NO_TIME = -(2**63)
CLASSES = tuple(Provenance)

# Little-endian on every machine, so that a memory folder can move.
RECORD = np.dtype(
    [
        ("owner", "<i8"),
        ("time", "<i8"),
        ("row", "<i8"),
        ("chunk", "<u4"),
        ("window", "<u4"),
        ("turn", "<u4"),
        ("terms", "<u4"),
        ("project", "<u4"),
        ("provenance", "<u4"),
    ]
)
DEAD = np.dtype([("start", "<u4"), ("end", "<u4")])  # passages that were taken out: positions, the end excluded

Records = npt.NDArray[np.void]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of an episode, or whatever else is found by its words and its meaning.

    owner: the number of the archive; in an index of entities, of the entity.
    chunk, window: its place in the owner, counted from 0; passages of one owner are neighbours in the order given.
    turn: where in the archive it was said, counted from 1; 0 where that means nothing.
    text: what its terms are made from: its own words, without the context that was embedded with them.
    row: of its vector in the vector file; NO_ROW where it has none.
    time: seconds since 1970 in UTC; None where unknown. project: "" for none.
    """

    owner: int
    chunk: int
    window: int
    text: str
    row: int = NO_ROW
    turn: int = 0
    provenance: Provenance = Provenance.SELF
    time: int | None = None
    project: str = ""


def records(passages: Sequence[Passage], terms: Sequence[int], projects: Sequence[int]) -> Records:
    """The passages as they are kept. terms: how many each has, repetitions counted; projects: the number of each's."""
    rows: list[tuple[Any, ...]] = [
        (
            each.owner,
            NO_TIME if each.time is None else each.time,
            each.row,
            each.chunk,
            each.window,
            each.turn,
            length,
            project,
            CLASSES.index(each.provenance),
        )
        for each, length, project in zip(passages, terms, projects, strict=True)
    ]
    return np.array(rows, dtype=RECORD)
