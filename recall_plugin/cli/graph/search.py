"""`recall graph search`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import (
    add_answer_options,
    answer,
    checked_limit,
    checked_query,
    now,
    with_graph,
)
from recall_plugin.cli.graph.hits import entity_hit_to_json, entity_lines
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.memory.graph.asking import search
from recall_plugin.memory.graph.opening import Graph

_DETAILS = """\
By meaning and by words; ranked by likeness (0.45), recent use (0.30) and former usefulness (0.25), which
[graph.scoring] sets. --keyword goes by the words alone, and needs no model.

  recall graph search 'the thing that queues jobs' --type service
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="what to look for, in your own words")
    types = [entity_type.value for entity_type in EntityType]
    parser.add_argument(
        "--type", action="append", default=[], choices=types, metavar="TYPE", help="only such entities (repeatable)"
    )
    parser.add_argument("--keyword", action="store_true", help="by words alone")
    add_answer_options(parser)


def _run(context: Context, options: argparse.Namespace) -> int:
    query, limit = checked_query(options), checked_limit(options)

    async def work(graph: Graph) -> int:
        hits = await search(
            graph,
            query,
            now=now(),
            limit=limit,
            types=[EntityType(name) for name in options.type],
            keyword=options.keyword,
        )
        return await answer(
            graph,
            options,
            "search",
            "".join(f"{line}\n" for line in entity_lines(hits)) or "nothing found\n",
            {"query": query, "entities": [entity_hit_to_json(hit) for hit in hits]},
            entities=tuple(hit.line.key for hit in hits),
        )

    return with_graph(context, work)


COMMAND = Command("Look for entities.", _run, _DETAILS, _configure)
