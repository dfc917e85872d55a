"""Archives that a question does not look through yet."""

from __future__ import annotations

from recall_plugin.cli.door import tell
from recall_plugin.domain.wording import counted
from recall_plugin.memory.graph.ingesting import waiting_archives
from recall_plugin.memory.graph.opening import Graph


async def tell_waiting(graph: Graph) -> None:
    """The person knows when archives are not searched, and what to do about it."""
    waiting = await waiting_archives(graph)
    if waiting:
        tell(f"recall graph: {counted(len(waiting), 'archive')} not searched yet: run `recall graph ingest-all`")
