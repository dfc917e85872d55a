"""The store, made again from the journal and the archives, beside the old one, and swapped in when it is whole."""

from __future__ import annotations

import asyncio
import shutil
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recall_plugin.domain.journal.account import Account
from recall_plugin.domain.journal.events import NewerEvent
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import RecallError, StoreNewer
from recall_plugin.files import conversations
from recall_plugin.files.atomic import make_folder, sync_folder
from recall_plugin.files.journal.journal import Journal
from recall_plugin.graph.store.episodes import Episodes
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.graph.store.owner import owned
from recall_plugin.graph.store.store import Store
from recall_plugin.memory.graph.applying import fold_all
from recall_plugin.memory.graph.progress import Progress
from recall_plugin.memory.graph.putting import Ingester
from recall_plugin.memory.graph.searching import Searcher
from recall_plugin.memory.graph.settings import GraphSettings


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """events: folded. counts: rows by table. embedded: windows whose vectors were missing. seconds: all of it.

    failed: archives that could not be read, by number, with the reason. asides: events that could not be applied.
    """

    events: int
    counts: dict[str, int]
    embedded: int
    seconds: float
    failed: dict[int, str]
    asides: int


async def rebuild(layout: Layout, settings: GraphSettings, *, now: datetime, progress: Progress) -> Rebuilt:
    """The store is made again by a process that does not have it open; nothing is needed of the old one.

    Raises as `rebuild_owned`; StoreHeld where another process has the store.
    """
    await asyncio.to_thread(make_folder, layout.graph)
    ownership = owned(layout.owner_lock, settings.patience)
    await asyncio.to_thread(ownership.__enter__)
    try:
        await asyncio.to_thread(settle_swap, layout.store)
        journal = Journal(layout)
        await asyncio.to_thread(lambda: journal.absorb(now=now))
        return await rebuild_owned(layout, settings, journal, progress)
    finally:
        ownership.__exit__(None, None, None)


async def rebuild_owned(layout: Layout, settings: GraphSettings, journal: Journal, progress: Progress) -> Rebuilt:
    """A whole new store stands at `layout.store`. The caller owns the store, and has it closed.

    Raises JournalDamaged, StoreNewer, and whatever embedding raises; the old store then stands where it stood.
    """
    started = time.monotonic()
    progress("reading the journal", 0, 0)
    try:
        folded = await asyncio.to_thread(fold_all, journal)
    except NewerEvent as newer:
        raise StoreNewer(layout.journal, str(newer)) from newer
    aside = _aside(layout.store)
    await asyncio.to_thread(shutil.rmtree, aside, True)
    store = await Store.open(aside, folded.ledger.policy)
    try:
        progress("writing entities and relations", 0, 0)
        await store.fill(folded.ledger, folded.number, folded.asides)
        episodes = Episodes(store)
        searcher = Searcher(layout, settings, store, episodes, Knowledge(store))
        try:
            embedded, failed = await _ingest_all(layout, settings, store, searcher, progress)
        finally:
            await searcher.close()
        counts = await store.counts()
    finally:
        await store.close()
    await asyncio.to_thread(_swap, aside, layout.store)
    return Rebuilt(folded.number, counts, embedded, time.monotonic() - started, failed, len(folded.asides))


async def _ingest_all(
    layout: Layout, settings: GraphSettings, store: Store, searcher: Searcher, progress: Progress
) -> tuple[int, dict[int, str]]:
    ingester = Ingester(layout, settings, searcher)
    embedded, failed = 0, {}
    numbers = await asyncio.to_thread(conversations.numbers, layout)
    wanted = set(numbers) & _ingested(store.meta.account)
    for done, number in enumerate(numbers):
        if number not in wanted:
            continue
        progress("archives", done, len(numbers))
        try:
            embedded += (await ingester.put(number)).embedded
        except RecallError as error:
            failed[number] = str(error)
    progress("archives", len(numbers), len(numbers))
    return embedded, failed


def _ingested(account: Account) -> set[int]:
    return {number for first, last in account.ingested.runs for number in range(first, last + 1)}


def settle_swap(store: Path) -> None:
    """A swap that was interrupted is finished or undone: a whole store stands at `store`, or none ever did."""
    old = _old(store)
    if old.exists() and not store.exists():
        old.rename(store)
    for leftover in (old, _aside(store)):
        shutil.rmtree(leftover, ignore_errors=True)


def _swap(new: Path, store: Path) -> None:
    if store.exists():
        store.rename(_old(store))
    new.rename(store)
    sync_folder(store.parent)
    shutil.rmtree(_old(store), ignore_errors=True)


def _aside(store: Path) -> Path:
    return store.with_name(f"{store.name}.new")


def _old(store: Path) -> Path:
    return store.with_name(f"{store.name}.old")
