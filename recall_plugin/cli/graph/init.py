"""`recall graph init`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import with_graph
from recall_plugin.memory.graph.opening import Graph

_DETAILS = """\
Every command that needs the graph makes it where it is missing; this one does nothing else, and loads the model too, so
that a fresh machine shows at once whether it can. Running it again changes nothing.
"""


def _run(context: Context, options: argparse.Namespace) -> int:
    async def work(graph: Graph) -> int:
        model = await graph.searcher.model_key()
        print(f"the graph stands in {graph.layout.graph}; texts are embedded by {model}")
        return 0

    return with_graph(context, work)


COMMAND = Command("Make the graph, and load the model.", _run, _DETAILS)
