"""The graph, opened: owned by this process, up to date with the journal, and closed at a visible end."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from recall_plugin.domain.journal.events import Event, written
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.wording import counted
from recall_plugin.errors import JournalDamaged, NotWritable, WriteFailed
from recall_plugin.files.atomic import make_folder
from recall_plugin.files.graph_state import GraphState, write_state
from recall_plugin.files.journal.journal import Journal
from recall_plugin.files.journal.writer import Notice
from recall_plugin.graph.store.episodes import Episodes
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.graph.store.owner import owned
from recall_plugin.graph.store.schema import SCHEMA_VERSION
from recall_plugin.graph.store.store import Store
from recall_plugin.memory.graph.applying import apply_rest
from recall_plugin.memory.graph.progress import Progress, silent
from recall_plugin.memory.graph.rebuilding import rebuild_owned, settle_swap
from recall_plugin.memory.graph.searching import Searcher
from recall_plugin.memory.graph.settings import GraphSettings


class Graph:
    """An open graph. notices: what the person should know of its opening. read_only: why nothing is written, or empty.

    layout, settings, journal, store, episodes, knowledge, searcher: its parts, for the use cases beside this module.
    """

    def __init__(self, layout: Layout, settings: GraphSettings, journal: Journal, store: Store) -> None:
        self.layout = layout
        self.settings = settings
        self.journal = journal
        self.notices: list[str] = []
        self.read_only = ""
        self._use(store)

    def _use(self, store: Store) -> None:
        self.store = store
        self.episodes = Episodes(store)
        self.knowledge = Knowledge(store)
        self.searcher = Searcher(self.layout, self.settings, store, self.episodes, self.knowledge)

    async def record(self, events: Sequence[Event], *, now: datetime) -> None:
        """The events are in the journal, on the disk, together, and their effects in the store.

        Raises InvalidEvent for an event that makes no sense, NotWritable, Busy, WriteFailed; then nothing is recorded.
        """
        if self.read_only:
            raise NotWritable(self.layout.journal, self.read_only)
        lines = [written(event) for event in events]
        await asyncio.to_thread(self.journal.append, lines, now=now)
        await self.catch_up()

    async def catch_up(self) -> None:
        """The store has the effects of all that stands in the journal."""
        mark = self.store.meta.entities
        applied = await apply_rest(self.store, self.journal)
        if applied.policy_changed:
            await self.fold_again(silent)
            return
        self.read_only = self.read_only or applied.stopped
        if applied.entities:
            await self.searcher.entities_changed(applied.entities, mark)
        for aside in applied.asides:
            self.notices.append(f"event {aside.number} ({aside.kind}) was set aside: {aside.reason}")
        if applied.events or applied.stopped:
            await self.tell_state()

    async def tell_state(self) -> None:
        """`recall status`, which never opens the store, knows how it is."""
        asides = [f"event {one.number} ({one.kind}): {one.reason}" for one in await self.store.asides()]
        state = GraphState(
            self.store.meta.applied,
            self.store.meta.account,
            await self.store.counts(),
            tuple(asides),
            self.read_only,
            self.store.meta.model,
        )
        with contextlib.suppress(WriteFailed):  # a courtesy; the journal tells the same
            await asyncio.to_thread(write_state, self.layout, state)

    async def fold_again(self, progress: Progress) -> None:
        """The store is made again from journal and archives, and used from now on."""
        await self.searcher.close()
        await self.store.close()
        try:
            await rebuild_owned(self.layout, self.settings, self.journal, progress)
        finally:
            self._use(await Store.open(self.layout.store))
        await self.tell_state()

    async def close(self) -> None:
        """Store, vectors and model are closed."""
        await self.searcher.close()
        await self.store.close()


@contextlib.asynccontextmanager
async def open_graph(
    layout: Layout, settings: GraphSettings, *, now: datetime, progress: Progress = silent
) -> AsyncIterator[Graph]:
    """The graph of a memory, made where there was none, up to date with its journal.

    Raises StoreHeld where another process has it, StoreDamaged, StoreNewer, WriteFailed, JournalDamaged.
    """
    await asyncio.to_thread(make_folder, layout.graph)
    ownership = owned(layout.owner_lock, settings.patience)
    await asyncio.to_thread(ownership.__enter__)
    try:
        async with _opened(layout, settings, now, progress) as graph:
            yield graph
    finally:
        ownership.__exit__(None, None, None)


@contextlib.asynccontextmanager
async def _opened(layout: Layout, settings: GraphSettings, now: datetime, progress: Progress) -> AsyncIterator[Graph]:
    await asyncio.to_thread(settle_swap, layout.store)
    journal = Journal(layout)
    recovered, damage = await asyncio.to_thread(_recover, journal, now)
    is_new = not layout.store.exists()
    try:
        store = await Store.open(layout.store)
    except BaseException:
        if is_new:  # nothing half made is left
            await asyncio.to_thread(shutil.rmtree, layout.store, True)
        raise
    graph = Graph(layout, settings, journal, store)
    try:
        graph.notices += [str(notice) for notice in recovered]
        graph.read_only = damage
        await _bring_up_to_date(graph, now, progress)
        yield graph
    finally:
        await graph.close()


def _recover(journal: Journal, now: datetime) -> tuple[tuple[Notice, ...], str]:
    """What was put in order, and why nothing can be written, where that is so."""
    try:
        notices = journal.recover()
        journal.absorb(now=now)
    except JournalDamaged as damage:
        return (), str(damage)
    return notices, ""


async def _bring_up_to_date(graph: Graph, now: datetime, progress: Progress) -> None:
    if graph.read_only:
        await graph.catch_up()
        return
    last = await asyncio.to_thread(graph.journal.last_number)
    if graph.store.meta.version < SCHEMA_VERSION:
        graph.notices.append(f"the store was of version {graph.store.meta.version}: it is made again")
        await graph.fold_again(progress)
    elif graph.store.meta.applied == 0 < last:
        # Episodes are no events: a store that is new beside an older journal has to get them from the archives.
        await graph.fold_again(progress)
    elif graph.store.meta.applied > last:
        graph.notices.append(
            f"the store knows {counted(graph.store.meta.applied, 'event')}, the journal has {last}: it is made again"
        )
        await graph.fold_again(progress)
    await graph.catch_up()
    await _follow_policy(graph, now)


async def _follow_policy(graph: Graph, now: datetime) -> None:
    if not graph.read_only and graph.store.meta.policy != graph.settings.policy:
        await graph.record([graph.settings.policy], now=now)
        graph.notices.append("the weights of evidence have changed: all that was said was weighed again")
