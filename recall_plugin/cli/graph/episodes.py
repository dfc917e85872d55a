"""`recall graph episodes`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import add_answer_options, answer, checked_limit, checked_query, with_graph
from recall_plugin.cli.graph.filters import add_filters, chosen
from recall_plugin.cli.graph.hits import fragment_lines
from recall_plugin.cli.graph.waiting import ingest_some
from recall_plugin.memory.graph.asking import episodes
from recall_plugin.memory.graph.opening import Graph

_DETAILS = """\
What was actually said: the fragments of the archives that have most to do with QUERY, each with its conversation, turn,
role and time. Whole sentences; […] stands for what was cut.

  recall graph episodes 'my usual coffee' --class user --limit 3
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="what to look for, in your own words")
    add_filters(parser)
    add_answer_options(parser)


def _run(context: Context, options: argparse.Namespace) -> int:
    query, limit, allowed = checked_query(options), checked_limit(options), chosen(options)

    async def work(graph: Graph) -> int:
        await ingest_some(graph)
        found = await episodes(graph, query, limit=limit, allowed=allowed)
        return await answer(
            graph,
            options,
            "episodes",
            "".join(f"{line}\n" for line in fragment_lines(found)) or "nothing found\n",
            {"query": query, "episodes": [fragment.to_json() for fragment in found]},
            episodes=tuple(fragment.episode.key for fragment in found),
        )

    return with_graph(context, work)


COMMAND = Command("Find what was actually said.", _run, _DETAILS, _configure)
