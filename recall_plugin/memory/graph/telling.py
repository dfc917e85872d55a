"""What the graph's owner leaves on the disk for those who never open the store, as `recall status` does not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import WriteFailed
from recall_plugin.files.graph_state import GraphState, write_state
from recall_plugin.files.journal.checking import Signature
from recall_plugin.graph.store.store import Store


async def state_of(store: Store, checked: Mapping[str, Signature], read_only: str = "") -> GraphState:
    """How the store is. checked: the sound segments of the journal. read_only: why nothing is recorded, or empty."""
    asides = [f"event {one.number} ({one.kind}): {one.reason}" for one in await store.asides()]
    meta = store.meta
    counts = await store.counts()
    return GraphState(meta.applied, meta.account, counts, tuple(asides), read_only, meta.model, checked)


async def tell(layout: Layout, state: GraphState) -> None:
    """The file says so, where it can be written: it is a courtesy, and the journal tells the same."""
    with contextlib.suppress(WriteFailed):
        await asyncio.to_thread(write_state, layout, state)
