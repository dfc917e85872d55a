"""From the journal to the store: every event's effects, exactly once and in order."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from recall_plugin.domain.journal.events import NewerEvent, PolicySet, parse
from recall_plugin.domain.journal.fields import InvalidEvent
from recall_plugin.domain.journal.fold import Ledger, Numbered, PolicyChanged, Unapplicable, touched
from recall_plugin.errors import JournalDamaged
from recall_plugin.files.journal.entry import BLANK, Entry
from recall_plugin.files.journal.journal import Journal
from recall_plugin.graph.store.store import Aside, Store, told_anew

_BATCH = 250


@dataclass(frozen=True, slots=True)
class Applied:
    """What applying the rest of the journal came to.

    events: how many were applied. asides: those that could not be. stopped: why the rest was not applied; the store is
    read-only then. policy_changed: whether everything is to be folded again, which this has not done.
    entities: the keys of those that are found by another text now.
    """

    events: int = 0
    asides: tuple[Aside, ...] = ()
    stopped: str = ""
    policy_changed: bool = False
    entities: tuple[str, ...] = ()


async def apply_rest(store: Store, journal: Journal) -> Applied:
    """The store has the effects of every event of the journal, up to one that stops it. Raises what the store does."""
    done = Applied()
    entries = journal.read(after=store.meta.applied)
    while True:
        batch, stopped = await asyncio.to_thread(_batch, entries)
        if batch:
            done = await _apply(store, batch, done)
        if stopped or done.policy_changed or done.stopped:
            return replace(done, stopped=done.stopped or stopped)
        if not batch:
            return done


def _batch(entries: Iterator[Entry]) -> tuple[list[Entry], str]:
    batch: list[Entry] = []
    try:
        for entry in itertools.islice(entries, _BATCH):
            batch.append(entry)
    except JournalDamaged as damage:
        return batch, str(damage)
    return batch, ""


async def _apply(store: Store, batch: list[Entry], done: Applied) -> Applied:
    numbered, asides, stopped = read_events(batch)
    ledger = await store.load(touched([one.event for one in numbered], store.meta.policy))
    before = Ledger(entities=dict(ledger.entities), relations=dict(ledger.relations), tallies=dict(ledger.tallies))
    changed_at: int | None = None
    for one in numbered:
        try:
            ledger.apply(one)
        except Unapplicable as reason:
            asides.append(Aside(one.number, one.event.KIND, str(reason)))
        except PolicyChanged:
            changed_at = one.number
            break
    if changed_at is not None:
        return replace(done, policy_changed=True)
    entities = told_anew(ledger, before)
    applied = stopped.before if stopped else batch[-1].n
    if applied > store.meta.applied:
        last = next(entry for entry in reversed(batch) if entry.n == applied)
        await store.save(ledger, before, applied, asides, last.digest)
    return Applied(
        done.events + len(numbered),
        (*done.asides, *asides),
        f"{stopped.reason}: upgrade recall_plugin" if stopped else "",
        entities=(*done.entities, *entities),
    )


@dataclass(frozen=True, slots=True)
class Stop:
    """An event of a newer version stands after number `before`."""

    before: int
    reason: str


def read_events(entries: list[Entry]) -> tuple[list[Numbered], list[Aside], Stop | None]:
    """The events of some lines, those that make no sense, and where a newer program's begin, if they do."""
    numbered: list[Numbered] = []
    asides: list[Aside] = []
    for entry in entries:
        if entry.kind == BLANK:
            continue
        try:
            numbered.append(Numbered(entry.n, entry.at, parse(entry.kind, entry.v, entry.fields)))
        except InvalidEvent as reason:
            asides.append(Aside(entry.n, entry.kind, str(reason)))
        except NewerEvent as reason:
            return numbered, asides, Stop(entry.n - 1, f"event {entry.n} is {reason}")
    return numbered, asides, None


@dataclass(frozen=True, slots=True)
class Folded:
    """A whole journal folded: the ledger, what was set aside, and number and digest of its last event."""

    ledger: Ledger
    asides: tuple[Aside, ...]
    number: int
    last: str


def fold_all(journal: Journal) -> Folded:
    """Everything that the journal holds, folded from nothing under its latest policy.

    Raises JournalDamaged; NewerEvent for an event that this program does not know.
    """
    numbered: list[Numbered] = []
    asides: list[Aside] = []
    last: Entry | None = None
    policy = PolicySet()
    for entry in journal.read():
        found, wrong, stop = read_events([entry])
        if stop is not None:
            raise NewerEvent(stop.reason)
        asides += wrong
        last = entry
        for one in found:
            if isinstance(one.event, PolicySet):
                policy = one.event
            else:
                numbered.append(one)
    ledger = Ledger(policy)
    for one in numbered:
        try:
            ledger.apply(one)
        except Unapplicable as reason:
            asides.append(Aside(one.number, one.event.KIND, str(reason)))
    return Folded(ledger, tuple(asides), last.n if last else 0, last.digest if last else "")
