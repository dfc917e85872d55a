"""`recall graph correct`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.actor import find_actor
from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.changes import tell_change
from recall_plugin.cli.graph.door import now, sure, with_graph
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import correct

_DETAILS = """\
--wrong    evidence against the relation at your authority, and a mark, "disputed by you on DATE", that stands until you
           lift it: what rests on much evidence survives with less confidence, but never stands above what is undisputed
--confirm  evidence for it, once, and the date of your check; lifts a dispute
--lift     takes the mark back, and leaves the evidence

The authority is a person's at a terminal. From anywhere else this is the agent's own word, and marks nothing.

  recall graph correct api --rel LISTENS_ON --target 'port 22' --wrong
  recall graph add-entity 'port 49222' --type concept
  recall graph relate api --rel LISTENS_ON --target 'port 49222'
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="the entity that the relation leaves")
    parser.add_argument("--rel", required=True, metavar="TYPE", help="the relation's type")
    parser.add_argument("--target", required=True, metavar="NAME", help="the entity that it reaches")
    verdict = parser.add_mutually_exclusive_group(required=True)
    verdict.add_argument("--wrong", dest="verdict", action="store_const", const="wrong", help="it does not hold")
    verdict.add_argument("--confirm", dest="verdict", action="store_const", const="confirmed", help="it holds")
    verdict.add_argument("--lift", dest="verdict", action="store_const", const="lifted", help="take a dispute back")
    parser.add_argument("--quote", default="", metavar="TEXT", help="in your words")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    actor = find_actor(context.environment)
    source, target = Wanted.parse(options.source), Wanted.parse(options.target)

    async def work(graph: Graph) -> int:
        change = await correct(
            graph, source, options.rel, target, actor, verdict=options.verdict, now=now(), quote=options.quote
        )
        return tell_change("correct", change, sure(graph), as_json=options.json)

    return with_graph(context, work)


COMMAND = Command("Correct or confirm a relation.", _run, _DETAILS, _configure)
