"""`recall graph relate`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.actor import find_actor
from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.changes import tell_change
from recall_plugin.cli.graph.door import now, sure, with_graph
from recall_plugin.domain.belief.evidence import ExtractionContext
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.instants import parse_instant
from recall_plugin.domain.knowledge.relation import USUAL_TYPES
from recall_plugin.errors import UsageError
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import Statement, relate

_DETAILS = f"""\
A relation's type is upper-case words; the usual ones: {", ".join(USUAL_TYPES)}.
SOURCE and TARGET are names of known entities; where several share a name, say which: person:Jordan.

The first statement makes the relation and sets how sure it is: authoritative 1.0, explicit 0.9, inferred 0.6,
speculative 0.3. Every further one is evidence, counted once per origin: external 1.0, user 0.8, self 0.05.
Typed by a person at a terminal it is authoritative, the user's, and of the origin "hand", unless said otherwise. From
anywhere else it is the agent's own word, and inferred at the most, whatever the options say.

  recall graph relate harbor --rel USES --target Kestrel
  recall graph relate api --rel LISTENS_ON --target 'port 22' --deny --quote 'no, 49222'
  recall graph relate harbor --rel USES --target Kestrel --class external --origin docs.harbor.example
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    contexts = [context.value for context in ExtractionContext]
    classes = [provenance.value for provenance in Provenance]
    parser.add_argument("source", metavar="SOURCE", help="the entity that the relation leaves")
    parser.add_argument("--rel", required=True, metavar="TYPE", help="the relation's type")
    parser.add_argument("--target", required=True, metavar="NAME", help="the entity that it reaches")
    parser.add_argument("--deny", action="store_true", help="say that it does not hold")
    parser.add_argument("--context", choices=contexts, metavar="CONTEXT", help=f"how sure: {', '.join(contexts)}")
    parser.add_argument("--class", dest="provenance", choices=classes, metavar="CLASS", help=", ".join(classes))
    parser.add_argument("--origin", default="", metavar="TEXT", help="the independent source that it goes back to")
    parser.add_argument("--quote", default="", metavar="TEXT", help="the words that say so")
    parser.add_argument("--at", metavar="TIME", help="when it was said, as 2026-03-06T10:30:00Z (default: now)")
    parser.add_argument("--description", default="", metavar="TEXT", help="why the relation exists")
    parser.add_argument(
        "--confidence", type=float, metavar="MEAN", help="set the confidence, 0 to 1; former evidence stops counting"
    )
    parser.add_argument("--project", default="", metavar="NAME", help="the project that it belongs to")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    at = parse_instant(options.at) if options.at else None
    if options.at and at is None:
        raise UsageError(f"--at takes a time such as 2026-03-06T10:30:00Z, not {options.at!r}")
    if options.confidence is not None and not 0 <= options.confidence <= 1:
        raise UsageError("--confidence takes a number from 0 to 1")
    if options.confidence is not None and options.deny:
        raise UsageError("--deny and --confidence contradict each other", hint="a low confidence is set by itself")
    said = Statement(
        source=Wanted.parse(options.source),
        relation=options.rel,
        target=Wanted.parse(options.target),
        deny=options.deny,
        context=ExtractionContext(options.context) if options.context else None,
        provenance=Provenance(options.provenance) if options.provenance else None,
        origin=options.origin,
        quote=options.quote,
        at=at,
        description=options.description,
        confidence=options.confidence,
        project=options.project,
    )
    actor = find_actor(context.environment)

    async def work(graph: Graph) -> int:
        change = await relate(graph, said, actor, now=now())
        return tell_change("relate", change, sure(graph), as_json=options.json)

    return with_graph(context, work)


COMMAND = Command("Say that a relation holds, or that it does not.", _run, _DETAILS, _configure)
