"""Archives that a question would not look through yet."""

from __future__ import annotations

import time

from recall_plugin.cli.door import tell
from recall_plugin.cli.graph.door import now, progress
from recall_plugin.domain.wording import counted
from recall_plugin.errors import ModelError
from recall_plugin.memory.graph.ingesting import ingest_waiting, waiting_archives
from recall_plugin.memory.graph.opening import Graph

# The latest session takes a second or two; a backlog is not what somebody who asks wants to wait for.
_PATIENCE_SECONDS = 5.0


async def ingest_some(graph: Graph) -> None:
    """What hooks have archived lately can be found; the person knows what cannot, and what to do about it."""
    until = time.monotonic() + _PATIENCE_SECONDS
    if not graph.read_only:
        graph.searcher.should_stop = lambda: time.monotonic() > until
        try:
            await ingest_waiting(graph, now=now, progress=progress(), should_stop=graph.searcher.should_stop)
        except ModelError as error:
            tell(f"recall graph: {error}")
        finally:
            graph.searcher.should_stop = lambda: False
    waiting = await waiting_archives(graph)
    if waiting:
        tell(f"recall graph: {counted(len(waiting), 'archive')} not searched yet: run `recall graph ingest-all`")
