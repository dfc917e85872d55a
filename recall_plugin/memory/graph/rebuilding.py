"""The store, made again from the journal and the archives, beside the old one, and swapped in when it is whole."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from recall_plugin.domain.journal.events import ArchiveNoted, NewerEvent
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import JournalNewer, LayoutError, ModelError, WriteFailed
from recall_plugin.files import conversations
from recall_plugin.files.atomic import make_folder, sync_folder
from recall_plugin.files.graph_state import GraphState
from recall_plugin.files.journal.journal import Journal
from recall_plugin.graph.finishing import finished
from recall_plugin.graph.store.episodes import Episodes
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.graph.store.owner import owning
from recall_plugin.graph.store.store import Store
from recall_plugin.memory.graph.applying import Folded, fold_all
from recall_plugin.memory.graph.progress import Progress
from recall_plugin.memory.graph.putting import Ingester
from recall_plugin.memory.graph.searching import Searcher
from recall_plugin.memory.graph.settings import GraphSettings
from recall_plugin.memory.graph.telling import state_of, tell


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """events: folded. counts: rows by table. embedded: windows whose vectors were missing. seconds: all of it.

    failed: archives that have no episodes now, by number, with the reason. asides: events that could not be applied.
    notices: what was out of order in the journal, and is in order now.
    """

    events: int
    counts: dict[str, int]
    embedded: int
    seconds: float
    failed: dict[int, str]
    asides: int
    notices: tuple[str, ...] = ()


async def rebuild(layout: Layout, settings: GraphSettings, *, now: datetime, progress: Progress) -> Rebuilt:
    """The store is made again by a process that does not have it open; nothing is needed of the old one.

    Raises as `rebuild_owned`; StoreHeld where another process has the store.
    """
    await asyncio.to_thread(make_folder, layout.graph)
    async with owning(layout.owner_lock, settings.patience):
        await asyncio.to_thread(settle_swap, layout.store)
        journal = Journal(layout)
        await asyncio.to_thread(lambda: journal.absorb(now=now))
        rebuilt = await rebuild_owned(layout, settings, journal, progress)
        return replace(rebuilt, notices=tuple(map(str, journal.notices)))


async def rebuild_owned(layout: Layout, settings: GraphSettings, journal: Journal, progress: Progress) -> Rebuilt:
    """A whole new store stands at `layout.store`. The caller owns the store, and has it closed.

    Raises JournalDamaged, JournalNewer, and whatever embedding raises; the old store then stands where it stood.
    """
    started = time.monotonic()
    progress("reading the journal", 0, 1)
    try:
        folded = await asyncio.to_thread(fold_all, journal)
    except NewerEvent as newer:
        raise JournalNewer(layout.journal, str(newer)) from newer
    aside = _aside(layout.store)
    await asyncio.to_thread(_remove, aside)
    try:
        embedded, failed, state = await _make(aside, layout, settings, folded, progress)
    except BaseException:
        await finished(asyncio.to_thread(_remove, aside))  # it may be what fills the disk
        raise
    await finished(asyncio.to_thread(_swap, aside, layout.store))
    account, now = state.account, datetime.now(UTC)
    for number, reason in failed.items():  # the next opening notes it in the journal, too
        account = account.noted(ArchiveNoted(number, "failed", reason=reason), now)
    await tell(layout, replace(state, account=account))
    seconds = time.monotonic() - started
    return Rebuilt(folded.number, dict(state.counts), embedded, seconds, failed, len(folded.asides))


async def _make(
    path: Path, layout: Layout, settings: GraphSettings, folded: Folded, progress: Progress
) -> tuple[int, dict[int, str], GraphState]:
    """A new store stands at `path`, closed: the windows embedded, the archives that failed, and how it is."""
    store = await Store.open(path, folded.ledger.policy)
    try:
        progress("writing entities and relations", 0, 1)
        await store.fill(folded.ledger, folded.number, folded.asides, folded.last)
        episodes = Episodes(store)
        searcher = Searcher(layout, settings, store, episodes, Knowledge(store))
        try:
            embedded, failed = await _ingest_all(layout, settings, store, searcher, progress)
        finally:
            await searcher.close()
        return embedded, failed, await state_of(store, {})  # the next opening looks at the journal
    finally:
        await store.close()


async def _ingest_all(
    layout: Layout, settings: GraphSettings, store: Store, searcher: Searcher, progress: Progress
) -> tuple[int, dict[int, str]]:
    ingester = Ingester(layout, settings, searcher)
    embedded, failed = 0, {}
    there = await asyncio.to_thread(conversations.numbers, layout)
    wanted = [number for number in there if number in store.meta.account.ingested]
    for done, number in enumerate(wanted):
        progress("archives", done, len(wanted))
        try:
            embedded += (await ingester.put(number)).embedded
        except LayoutError as error:
            failed[number] = str(error)
        except ModelError as error:  # of no archive, so that the next one would fare no better
            failed |= dict.fromkeys(wanted[done:], str(error))
            break
    progress("archives", len(wanted), len(wanted))
    return embedded, failed


def settle_swap(store: Path) -> None:
    """A swap that was interrupted is finished or undone: a whole store stands at `store`, or none ever did.

    Raises WriteFailed.
    """
    old = _old(store)
    try:
        if os.path.lexists(old) and not os.path.lexists(store):
            old.rename(store)
    except OSError as error:
        raise WriteFailed.from_os_error(store, error) from error
    for leftover in (old, _aside(store)):
        _remove(leftover)


def _swap(new: Path, store: Path) -> None:
    old = _old(store)
    _remove(old)
    try:
        if os.path.lexists(store):
            store.rename(old)
        new.rename(store)
        sync_folder(store.parent)
    except OSError as error:
        raise WriteFailed.from_os_error(store, error) from error
    _remove(old)


def _remove(path: Path) -> None:
    """Whatever stands at `path` is gone, as far as it can be removed; what a link leads to is not touched."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def _aside(store: Path) -> Path:
    return store.with_name(f"{store.name}.new")


def _old(store: Path) -> Path:
    return store.with_name(f"{store.name}.old")
