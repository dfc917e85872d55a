"""The graph, opened: owned by this process, up to date with the journal, and closed at a visible end."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recall_plugin.domain.journal.events import ArchiveNoted, Event, written
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import (
    JournalDamaged,
    JournalNewer,
    LayoutError,
    ModelError,
    NotWritable,
    StoreBehind,
    StoreError,
    WriteFailed,
)
from recall_plugin.files import conversations
from recall_plugin.files.atomic import make_folder
from recall_plugin.files.graph_state import read_state
from recall_plugin.files.journal.checking import Checked, Signature
from recall_plugin.files.journal.entry import BLANK
from recall_plugin.files.journal.journal import Journal
from recall_plugin.files.journal.writer import Notice
from recall_plugin.graph.finishing import finished
from recall_plugin.graph.store.episodes import Episodes
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.graph.store.owner import owning
from recall_plugin.graph.store.schema import SCHEMA_VERSION
from recall_plugin.graph.store.store import Store
from recall_plugin.memory.graph.applying import apply_rest
from recall_plugin.memory.graph.progress import Progress, silent
from recall_plugin.memory.graph.putting import Ingester
from recall_plugin.memory.graph.rebuilding import rebuild_owned, settle_swap
from recall_plugin.memory.graph.searching import Searcher
from recall_plugin.memory.graph.settings import GraphSettings
from recall_plugin.memory.graph.telling import state_of, tell


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
        self.checked: Mapping[str, Signature] = {}
        # Held by whoever makes the store follow the journal: two at a time would apply an event twice.
        self._following = asyncio.Lock()
        self._use(store)

    def _use(self, store: Store) -> None:
        self.store = store
        self.episodes = Episodes(store)
        self.knowledge = Knowledge(store)
        self.searcher = Searcher(self.layout, self.settings, store, self.episodes, self.knowledge)
        self.searcher.put_again = Ingester(self.layout, self.settings, self.searcher).put

    async def record(self, events: Sequence[Event], *, now: datetime) -> None:
        """The events are in the journal, on the disk, together, and their effects in the store.

        Raises InvalidEvent for an event that makes no sense, NotWritable, Busy, WriteFailed; then nothing is recorded.
        StoreBehind where they are recorded and the store could not follow: it does at the next call or opening.
        """
        self.must_be_writable()
        lines = [written(event) for event in events]
        async with self._following:
            await finished(self._record(lines, now))

    async def _record(self, lines: list[dict[str, object]], now: datetime) -> None:
        await asyncio.to_thread(self.journal.append, lines, now=now)
        try:
            await self._catch_up()
        except (StoreError, WriteFailed) as error:
            raise StoreBehind(self.layout.store, error) from error

    def must_be_writable(self) -> None:
        """Events can be recorded. Raises NotWritable with the reason why they cannot."""
        if self.read_only:
            raise NotWritable(self.layout.journal, self.read_only)

    async def catch_up(self) -> None:
        """The store has the effects of all that stands in the journal, or `read_only` says where it had to stop."""
        async with self._following:
            await finished(self._catch_up())

    async def _catch_up(self) -> None:
        mark = self.store.meta.entities
        applied = await apply_rest(self.store, self.journal)
        if applied.policy_changed:
            try:
                await self.fold_again(silent)
            except (JournalDamaged, JournalNewer) as error:  # what was known before is still there, and may be asked
                self.read_only = str(error)
                await self.tell_state()
            return
        self.read_only = self.read_only or applied.stopped
        if applied.entities:
            await self.searcher.entities_changed(applied.entities, mark)
        for aside in applied.asides:
            self.notices.append(f"event {aside.number} ({aside.kind}) was set aside: {aside.reason}")
        if applied.events or applied.asides or applied.stopped:
            await self.tell_state()

    async def tell_state(self) -> None:
        """`recall status`, which never opens the store, knows how it is."""
        await tell(self.layout, await state_of(self.store, self.checked, self.read_only))

    async def fold_again(self, progress: Progress) -> None:
        """The store is made again from journal and archives, and used from now on. Raises as `rebuild_owned`."""
        await self.searcher.close()
        await self.store.close()
        try:
            await rebuild_owned(self.layout, self.settings, self.journal, progress)
        finally:
            self._use(await Store.open(self.layout.store))

    async def close(self) -> None:
        """Store, vectors and model are closed."""
        await self.searcher.close()
        await self.store.close()


@contextlib.asynccontextmanager
async def open_graph(
    layout: Layout, settings: GraphSettings, *, now: datetime, progress: Progress = silent
) -> AsyncIterator[Graph]:
    """The graph of a memory, made where there was none, up to date with its journal.

    Raises StoreHeld where another process has it, StoreDamaged, WriteFailed, JournalDamaged.
    """
    await asyncio.to_thread(make_folder, layout.graph)
    async with owning(layout.owner_lock, settings.patience), _opened(layout, settings, now, progress) as graph:
        yield graph


@contextlib.asynccontextmanager
async def _opened(layout: Layout, settings: GraphSettings, now: datetime, progress: Progress) -> AsyncIterator[Graph]:
    await asyncio.to_thread(settle_swap, layout.store)
    journal = Journal(layout)
    known = (await asyncio.to_thread(read_state, layout)).checked
    recovered, checked = await asyncio.to_thread(_recover, journal, now, known)
    is_new = not layout.store.exists()
    try:
        store = await Store.open(layout.store)
    except BaseException as error:
        if is_new:  # nothing half made is left
            await asyncio.to_thread(shutil.rmtree, layout.store, True)
        if isinstance(error, StoreError):
            await tell(layout, replace(read_state(layout), read_only=str(error)))
        raise
    graph = Graph(layout, settings, journal, store)
    try:
        graph.notices += [str(notice) for notice in recovered]
        graph.read_only, graph.checked = checked.problem, checked.signatures
        await _bring_up_to_date(graph, now, progress)
        yield graph
    finally:
        await graph.close()


def _recover(journal: Journal, now: datetime, known: Mapping[str, Signature]) -> tuple[tuple[Notice, ...], Checked]:
    """What was put in order, and whether the journal is sound, which it has to be for anything to be learned."""
    try:
        notices = journal.recover()
        journal.absorb(now=now)
        return notices, journal.check(known)
    except JournalDamaged as damage:
        return (), Checked(known, str(damage))


async def _bring_up_to_date(graph: Graph, now: datetime, progress: Progress) -> None:
    await _make_again_if_needed(graph, progress)
    await graph.catch_up()
    await _restore_episodes(graph, now, progress)
    await _follow_policy(graph, now)
    told = await asyncio.to_thread(read_state, graph.layout)
    if (told.read_only, told.checked) != (graph.read_only, graph.checked):
        await graph.tell_state()  # mended, or broken, without an event


async def _make_again_if_needed(graph: Graph, progress: Progress) -> None:
    applied = graph.store.meta.applied
    if graph.store.meta.version < SCHEMA_VERSION:
        graph.notices.append(f"the store was of version {graph.store.meta.version}: it is made again")
        await graph.fold_again(progress)
        return
    if graph.read_only:
        return
    if applied == 0:
        if await asyncio.to_thread(graph.journal.last_number) > 0:
            try:
                await graph.fold_again(progress)
            except (JournalDamaged, JournalNewer) as error:  # what stands before that place can be had
                graph.read_only = str(error)
        return
    graph.read_only = await asyncio.to_thread(_lost_events, graph.journal, applied, graph.store.meta.last)


def _lost_events(journal: Journal, applied: int, digest: str) -> str:
    """Whether the journal has lost what the store knows, in words; empty where it has not.

    The store may then be the last place where it is known, so nothing of it is thrown away unasked.
    """
    entry = next(journal.read(after=applied - 1), None)
    if entry is not None and (entry.digest == digest or not digest or entry.kind == BLANK):
        return ""
    found = f"another event {applied}" if entry is not None else f"{journal.last_number()} of {applied} events"
    return (
        f"the journal has lost events that the store knows (it holds {found}): bring its files back from a backup, or"
        " accept the loss with `recall rebuild`"
    )


async def _restore_episodes(graph: Graph, now: datetime, progress: Progress) -> None:
    """Episodes are no events: those that a store lost, or could not have when it was made, come from the archives."""
    there = await asyncio.to_thread(conversations.numbers, graph.layout)
    ingested = graph.store.meta.account.ingested
    lost = sorted({number for number in there if number in ingested} - set(await graph.episodes.numbers()))
    ingester = Ingester(graph.layout, graph.settings, graph.searcher)
    failed: dict[int, str] = {}
    for done, number in enumerate(lost):
        progress("archives", done, len(lost))
        try:
            await ingester.put(number)
        except LayoutError as error:
            failed[number] = str(error)
        except ModelError as error:  # of no archive, so that the next one would fare no better
            failed |= dict.fromkeys(lost[done:], str(error))
            break
    if failed and not graph.read_only:
        await graph.record(
            [ArchiveNoted(number, "failed", reason=reason) for number, reason in failed.items()], now=now
        )
    for reason in dict.fromkeys(failed.values()):
        numbers = ", ".join(f"{number:03d}" for number in failed if failed[number] == reason)
        graph.notices.append(f"there are no episodes any more of conversation {numbers}: {reason}")


async def _follow_policy(graph: Graph, now: datetime) -> None:
    if not graph.read_only and graph.store.meta.policy != graph.settings.policy:
        await graph.record([graph.settings.policy], now=now)
        graph.notices.append("the weights of evidence have changed: all that was said was weighed again")
