"""`recall graph decay-report`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import add_answer_options, answer, checked_limit, sure, with_graph
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.reporting import decay_report

_LIMIT = 20
_DETAILS = """\
Confidence is stored as evidence and fades when it is read: half of it is gone after
graph.decay.confidence_half_life_days without a new origin's confirmation. Nothing falls under 5 % by fading alone.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    add_answer_options(parser, limit=_LIMIT)


def _run(context: Context, options: argparse.Namespace) -> int:
    limit = checked_limit(options)

    async def work(graph: Graph) -> int:
        fading = await decay_report(graph, sure(graph), limit=limit)
        lines = [
            f"{one.relation.relation.evidence.mean:.2f} → {one.relation.effective:.2f}  after {one.days:.0f} days:  "
            f"{one.relation.line}"
            for one in fading
        ]
        value = {
            "half_life_days": graph.settings.confidence_half_life,
            "relations": [one.relation.to_json() | {"days": round(one.days, 2)} for one in fading],
        }
        text = "".join(f"{line}\n" for line in lines or ["there are no relations yet"])
        return await answer(
            graph,
            options,
            "decay-report",
            text,
            value,
            relations=tuple(one.relation.relation.key.id for one in fading),
        )

    return with_graph(context, work)


COMMAND = Command("Show stored against effective confidence.", _run, _DETAILS, _configure)
