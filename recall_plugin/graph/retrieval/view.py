"""What a cache holds at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from recall_plugin.graph.retrieval.passages import Bools, Records
from recall_plugin.graph.retrieval.runs import Run


class View:
    """Passages and postings as they were committed; nothing changes them any more, whatever is added to the cache.

    Columns are copied out of the records when they are first asked for: 0.3 ms for 100,000 passages.
    """

    def __init__(self, records: Records, dead: Records, runs: Sequence[Run], projects: Sequence[str]) -> None:
        self._records = records
        self._dead = dead
        self.runs = tuple(runs)
        self.projects = tuple(projects)

    def __len__(self) -> int:
        """How many positions there are, dead ones included."""
        return len(self._records)

    @cached_property
    def alive(self) -> Bools:
        """(n,): False where the passage was taken out."""
        changes = np.zeros(len(self) + 1, np.int64)
        np.add.at(changes, self._dead["start"], 1)
        np.add.at(changes, self._dead["end"], -1)
        return np.asarray(np.cumsum(changes[:-1]) == 0)

    @cached_property
    def owner(self) -> npt.NDArray[np.int64]:
        return np.ascontiguousarray(self._records["owner"])

    @cached_property
    def chunk(self) -> npt.NDArray[np.uint32]:
        return np.ascontiguousarray(self._records["chunk"])

    @cached_property
    def window(self) -> npt.NDArray[np.uint32]:
        return np.ascontiguousarray(self._records["window"])

    @cached_property
    def turn(self) -> npt.NDArray[np.uint32]:
        return np.ascontiguousarray(self._records["turn"])

    @cached_property
    def time(self) -> npt.NDArray[np.int64]:
        """Seconds since 1970; NO_TIME where unknown."""
        return np.ascontiguousarray(self._records["time"])

    @cached_property
    def row(self) -> npt.NDArray[np.int64]:
        """In the vector file; NO_ROW for none."""
        return np.ascontiguousarray(self._records["row"])

    @cached_property
    def terms(self) -> npt.NDArray[np.uint32]:
        """How many terms each passage has, repetitions counted."""
        return np.ascontiguousarray(self._records["terms"])

    @cached_property
    def project(self) -> npt.NDArray[np.uint32]:
        """An index into `projects`."""
        return np.ascontiguousarray(self._records["project"])

    @cached_property
    def provenance(self) -> npt.NDArray[np.uint32]:
        """An index into `CLASSES`."""
        return np.ascontiguousarray(self._records["provenance"])

    @cached_property
    def follows(self) -> Bools:
        """(n,): whether the passage before is of the same owner and as alive."""
        same = np.zeros(len(self), np.bool_)
        same[1:] = (self.owner[1:] == self.owner[:-1]) & (self.alive[1:] == self.alive[:-1])
        return same

    def owners(self) -> list[int]:
        """The numbers of the owners that have a passage, ascending."""
        return [int(owner) for owner in np.unique(self.owner[self.alive])]
