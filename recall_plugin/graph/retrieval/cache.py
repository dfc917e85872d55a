"""The search cache: passages and their terms in files beside the store, which can be made again from it.

One folder is one index: episodes stand in one, entities in another, each with its own numbers for owners. Files are
only added to; the commit record, replaced atomically, says how much of which counts. What a crash leaves behind it is
overwritten or removed by the next change. One process has a cache open for writing: the store's owner.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from recall_plugin.domain.layout import FOLDER_MODE
from recall_plugin.errors import WriteFailed
from recall_plugin.graph.retrieval.commit import Commit, Extent, Stale, read_commit, write_commit
from recall_plugin.graph.retrieval.mapped import extended, mapped
from recall_plugin.graph.retrieval.passages import DEAD, RECORD, Bools, Passage, Records, records
from recall_plugin.graph.retrieval.runs import Run, merged, read_run, run_of, write_run
from recall_plugin.graph.retrieval.terms import passage_terms
from recall_plugin.graph.retrieval.view import View

_OURS = ("passages-", "dead-", "run-", ".tmp-")
_BATCH = 2000  # passages that a rebuild files at a time


class SearchCache:
    """The passages of one index, open for search and for changes.

    stale: why what stood in the folder cannot be used, "" where it can; a stale cache is empty until `rebuild`.
    view: what is found at present; a search that has begun goes on with the view that it took, in whatever thread.
    """

    def __init__(self, folder: Path, epoch: int) -> None:
        """Opens the cache of a store at `epoch`; whatever is wrong with the files makes it stale, and raises nothing.

        All bytes are read once for their checksum: about 1 s for 1 GB.
        """
        self._folder = folder
        self._changing = threading.Lock()
        self.stale = ""
        try:
            commit = read_commit(folder)
            if commit.epoch != epoch:
                raise Stale(f"made for epoch {commit.epoch}, not for {epoch}")
            self._state = _State.read(folder, commit)
        except Stale as reason:
            self.stale = str(reason)
            self._state = _State.empty(epoch)
        self.view = self._state.view()

    @property
    def epoch(self) -> int:
        """The epoch that the cache was last committed at."""
        return self._state.commit.epoch

    @property
    def dead_share(self) -> float:
        """The share of the passages that were taken out and still take room, in [0, 1]: past a half, rebuild."""
        alive = self.view.alive
        return 1.0 - float(alive.mean()) if len(alive) else 0.0

    def put(self, passages: Sequence[Passage], *, epoch: int | None = None) -> None:
        """Their owners consist of exactly these passages, on the disk; what they had before is not found any more.

        passages: those of one owner together, in order. epoch: the store's from now on; None leaves it. A cache that is
        stale stays so, and nothing is written. Raises WriteFailed; then everything is as it was.
        """
        self._change(passages, {each.owner for each in passages}, epoch)

    def remove(self, owners: Collection[int], *, epoch: int | None = None) -> None:
        """No passage of `owners` is found any more, on the disk. Otherwise as `put`."""
        self._change((), owners, epoch)

    def rebuild(self, epoch: int, batches: Iterable[Sequence[Passage]]) -> None:
        """The cache consists of exactly the passages in `batches`, and is stale no more; until the end it is as it was.

        batches: read once; one after the other, none all in memory; no owner's passages in two of them. Raises
        WriteFailed, and whatever `batches` raises; then everything is as it was.
        """
        with self._changing:
            state = _State.empty(epoch)
            try:
                self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
                for batch in _grouped(batches):
                    state = state.with_passages(self._folder, batch)
                    self._clean(self._state.commit.names() | state.commit.names())
                self._commit(state)
            except Stale as reason:
                raise WriteFailed(self._folder, str(reason)) from reason
            except OSError as error:
                raise WriteFailed.from_os_error(self._folder, error) from error
            finally:
                self._clean(self._state.commit.names())

    def _change(self, passages: Sequence[Passage], owners: Collection[int], epoch: int | None) -> None:
        with self._changing:
            if self.stale:
                return
            state = self._state if epoch is None else self._state.at(epoch)
            try:
                self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
                state = state.without(self._folder, self.view, owners).with_passages(self._folder, passages)
                if state is not self._state:
                    self._commit(state)
            except Stale as reason:
                raise WriteFailed(self._folder, str(reason)) from reason
            except OSError as error:
                raise WriteFailed.from_os_error(self._folder, error) from error
            finally:
                self._clean(self._state.commit.names())

    def _commit(self, state: _State) -> None:
        write_commit(self._folder, state.commit)
        self._state, self.view, self.stale = state, state.view(), ""

    def _clean(self, wanted: frozenset[str]) -> None:
        for path in self._folder.glob("*") if self._folder.is_dir() else ():
            if path.name.startswith(_OURS) and path.name not in wanted:
                with contextlib.suppress(OSError):  # what cannot be removed does no harm
                    path.unlink()


class _State:
    """What stands in the files, mapped. A change makes a new one, which nobody sees before it is committed."""

    def __init__(self, commit: Commit, passages: Records, dead: Records, runs: tuple[Run, ...]) -> None:
        self.commit = commit
        self._passages = passages
        self._dead = dead
        self._runs = runs

    @classmethod
    def empty(cls, epoch: int) -> _State:
        token = secrets.token_hex(8)
        commit = Commit(epoch, Extent(f"passages-{token}"), Extent(f"dead-{token}"))
        return cls(commit, np.zeros(0, RECORD), np.zeros(0, DEAD), ())

    @classmethod
    def read(cls, folder: Path, commit: Commit) -> _State:
        """What is committed. Raises Stale where the files do not hold it."""
        if commit.passages.size % RECORD.itemsize or commit.dead.size % DEAD.itemsize or not commit.projects:
            raise Stale("the commit record does not fit the files' form")
        return cls(
            commit,
            mapped(folder, commit.passages).view(RECORD),
            mapped(folder, commit.dead).view(DEAD),
            tuple(read_run(folder, extent) for extent in commit.runs),
        )

    def view(self) -> View:
        return View(self._passages, self._dead, self._runs, self.commit.projects)

    def at(self, epoch: int) -> _State:
        return _State(replace(self.commit, epoch=epoch), self._passages, self._dead, self._runs)

    def without(self, folder: Path, view: View, owners: Collection[int]) -> _State:
        """Without the passages of `owners`. view: of this state. Raises OSError."""
        if not len(view) or not owners:
            return self
        going = view.alive & np.isin(view.owner, np.fromiter(owners, np.int64, len(owners)))
        if not going.any():
            return self
        extent = extended(folder, self.commit.dead, _stretches(going).tobytes())
        dead = mapped(folder, extent, known=extent).view(DEAD)
        return _State(replace(self.commit, dead=extent), self._passages, dead, self._runs)

    def with_passages(self, folder: Path, passages: Sequence[Passage]) -> _State:
        """With more passages at the end. Raises OSError."""
        if not passages:
            return self
        counted = [passage_terms(each.text) for each in passages]
        projects = {project: number for number, project in enumerate(self.commit.projects)}
        numbers = [projects.setdefault(each.project, len(projects)) for each in passages]
        rows = records(passages, [sum(counts.values()) for counts in counted], numbers)
        extent = extended(folder, self.commit.passages, rows.tobytes())
        run = run_of(counted, len(self._passages))
        kept = len(self._runs)
        while kept and len(self._runs[kept - 1].passages) <= len(run.passages):
            kept -= 1
            run = merged(self._runs[kept], run)
        written = write_run(folder, run)
        commit = replace(
            self.commit, passages=extent, runs=(*self.commit.runs[:kept], written), projects=tuple(projects)
        )
        return _State(
            commit,
            mapped(folder, extent, known=extent).view(RECORD),
            self._dead,
            (*self._runs[:kept], read_run(folder, written, checked=True)),
        )


def _stretches(going: Bools) -> Records:
    """The stretches of True: (s,) DEAD."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], going, [False]]).astype(np.int8)))
    stretches = np.zeros(len(edges) // 2, DEAD)
    stretches["start"], stretches["end"] = edges[::2], edges[1::2]
    return stretches


def _grouped(batches: Iterable[Sequence[Passage]]) -> Iterable[list[Passage]]:
    group: list[Passage] = []
    for batch in batches:
        group += batch
        if len(group) >= _BATCH:
            yield group
            group = []
    yield group
