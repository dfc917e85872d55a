"""`recall graph show`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import add_answer_options, answer, checked_limit, sure, with_graph
from recall_plugin.domain.wording import counted
from recall_plugin.memory.graph import naming
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.reporting import Shown, show
from recall_plugin.memory.graph.views import entity_to_json, observation_line

_LIMIT = 20
_DETAILS = """\
Each relation with how sure it is and why: the posterior mean, what decay leaves of it, the interval that holds 90 % of
the posterior, what it rests on, and the latest words for and against it with where they stand.

  recall graph show harbor
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("entity", metavar="NAME", help="the entity; TYPE:NAME where several share a name")
    add_answer_options(parser, limit=_LIMIT)


def _run(context: Context, options: argparse.Namespace) -> int:
    limit = checked_limit(options)
    wanted = Wanted.parse(options.entity)

    async def work(graph: Graph) -> int:
        shown = await show(graph, await naming.find(graph.knowledge, wanted), sure(graph), limit=limit)
        value = entity_to_json(shown.entity) | {
            "relations": [relation.to_json() for relation in shown.relations],
            "more": shown.more,
        }
        return await answer(
            graph,
            options,
            "show",
            "".join(f"{line}\n" for line in _lines(shown)),
            value,
            entities=(shown.entity.key,),
            relations=tuple(one.relation.key.id for one in shown.relations),
        )

    return with_graph(context, work)


def _lines(shown: Shown) -> Iterator[str]:
    entity = shown.entity
    yield f"{entity.name} ({entity.type})"
    if entity.aliases:
        yield f"  also called {', '.join(entity.aliases)}"
    for text in (entity.abstract, entity.overview, entity.content):
        if text:
            yield from (f"  {line}" for line in text.split("\n"))
    for name, value in entity.attributes.items():
        yield f"  {name}: {value}"
    yield f"  utility {entity.utility:.2f}, recalled {counted(entity.accesses.count, 'time')}"
    for one in shown.relations:
        evidence = one.relation.evidence
        low, high = evidence.interval()
        yield ""
        yield one.line
        yield (
            f"  {evidence.mean:.2f} stored, {one.effective:.2f} today, 90 % between {low:.2f} and {high:.2f};"
            f" {one.standing}"
        )
        yield (
            f"  {one.relation.context}; {counted(one.relation.origins, 'origin')},"
            f" {counted(one.relation.mentions, 'mention')}"
            + (f"; denied by {counted(one.relation.denials, 'origin')}" if one.relation.denials else "")
        )
        if one.relation.description:
            yield f"  {one.relation.description}"
        yield from (f"  - {observation_line(source)}" for source in one.sources)
        others = one.relation.mentions + one.relation.denying_mentions - len(one.sources)
        if others > 0:
            yield f"  - and {counted(others, 'earlier statement')}"
    if shown.more:
        yield ""
        yield f"and {counted(shown.more, 'more relation')}; --limit shows more"


COMMAND = Command("Show an entity and what is believed of it.", _run, _DETAILS, _configure)
