"""`recall graph overview`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import add_answer_options, answer, checked_limit, sure, with_graph
from recall_plugin.domain.wording import counted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.reporting import Overview, overview
from recall_plugin.memory.graph.views import RelationView, observation_line

_LIMIT = 5
_DETAILS = """\
The order from the surest to the least sure: by effective confidence in whole percent; of two that read the same, the
one that rests on more evidence comes first, and the words beside each say why it stands where it does.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    add_answer_options(parser, limit=_LIMIT)


def _run(context: Context, options: argparse.Namespace) -> int:
    limit = checked_limit(options)

    async def work(graph: Graph) -> int:
        found = await overview(graph, sure(graph), limit=limit)
        lists = {
            "disputed": found.disputed, "surest": found.surest, "least_sure": found.least_sure, "latest": found.latest
        }  # fmt: skip
        value: dict[str, object] = {"counts": found.counts, "types": found.types}
        value |= {name: [one.to_json() for one in views] for name, views in lists.items()}
        ids = {one.relation.key.id: None for views in lists.values() for one in views}
        text = "".join(f"{line}\n" for line in _lines(found))
        return await answer(graph, options, "overview", text, value, relations=tuple(ids))

    return with_graph(context, work)


def _lines(found: Overview) -> Iterator[str]:
    counts = found.counts
    yield (
        f"{counted(counts['entity'], 'entity', 'entities')}, {counted(counts['relates_to'], 'relation')} from "
        f"{counted(counts['observation'], 'statement')}; {counted(counts['episode'], 'episode')} of "
        f"{counted(counts['archive'], 'archive')}"
    )
    if found.types:
        yield ", ".join(f"{count} {name}" for name, count in found.types.items())
    yield from _section("Disputed", found.disputed)
    yield from _section("Surest", found.surest)
    yield from _section("Least sure", found.least_sure)
    yield from _section("Latest", found.latest)


def _section(title: str, views: tuple[RelationView, ...]) -> Iterator[str]:
    if not views:
        return
    yield ""
    yield title
    for one in views:
        yield f"  {one.line}"
        standing = "" if one.relation.disputed else f"{one.standing}; "
        yield f"    {standing}{observation_line(one.sources[0])}" if one.sources else f"    {one.standing}"


COMMAND = Command("Show what memory holds without being asked anything.", _run, _DETAILS, _configure)
