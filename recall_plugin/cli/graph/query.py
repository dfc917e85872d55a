"""`recall graph query`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import add_answer_options, answer, checked_limit, checked_query, sure, with_graph
from recall_plugin.cli.graph.filters import add_filters, chosen
from recall_plugin.cli.graph.hits import entity_hit_to_json, entity_lines, fragment_lines, relation_lines
from recall_plugin.cli.graph.waiting import ingest_some
from recall_plugin.memory.graph.asking import Answer, query
from recall_plugin.memory.graph.opening import Graph

_LIMIT = 5
_DETAILS = """\
The default question: the entities that have most to do with it, what is believed around them and how surely, and the
fragments of the archives behind it. From each of the best entities one step is taken, at its score times the relation's
effective confidence; what you disputed stands under what you did not.

  recall graph query 'which port does the api listen on?'
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUESTION", help="in your own words")
    add_filters(parser)
    add_answer_options(parser, limit=_LIMIT)


def _run(context: Context, options: argparse.Namespace) -> int:
    question, limit, allowed = checked_query(options), checked_limit(options), chosen(options)

    async def work(graph: Graph) -> int:
        await ingest_some(graph)
        found = await query(graph, question, sure(graph), limit=limit, allowed=allowed)
        value = {
            "query": question,
            "entities": [entity_hit_to_json(hit) for hit in found.entities],
            "relations": [one.to_json() | {"score": round(score, 4)} for one, score in found.relations],
            "episodes": [fragment.to_json() for fragment in found.fragments],
        }
        return await answer(
            graph,
            options,
            "query",
            "".join(f"{line}\n" for line in _lines(found)) or "nothing found\n",
            value,
            entities=tuple(hit.line.key for hit in found.entities),
            relations=tuple(one.relation.key.id for one, _ in found.relations),
            episodes=tuple(fragment.episode.key for fragment in found.fragments),
        )

    return with_graph(context, work)


def _lines(found: Answer) -> Iterator[str]:
    parts = [
        ("Believed", list(relation_lines(found.relations))),
        ("Entities", list(entity_lines(found.entities))),
        ("Said", list(fragment_lines(found.fragments))),
    ]
    shown = [(title, lines) for title, lines in parts if lines]
    for place, (title, lines) in enumerate(shown):
        if place:
            yield ""
        yield title
        yield from (f"  {line}" if line else "" for line in lines)


COMMAND = Command("Ask the memory.", _run, _DETAILS, _configure)
