"""`recall graph status`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, print_json
from recall_plugin.cli.graph.door import with_graph
from recall_plugin.domain.wording import counted
from recall_plugin.memory.graph.ingesting import waiting_archives
from recall_plugin.memory.graph.opening import Graph

_DETAILS = """\
Opens the store, and applies what the journal holds beyond it. `recall status` tells the same without opening anything.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    async def work(graph: Graph) -> int:
        counts, asides = await graph.store.counts(), await graph.store.asides()
        waiting = await waiting_archives(graph)
        meta = graph.store.meta
        if options.json:
            print_json(
                {
                    "path": str(graph.layout.store),
                    "counts": counts,
                    "events": meta.applied,
                    "waiting_archives": waiting,
                    "failed_archives": {str(number): one.reason for number, one in meta.account.archives.items()},
                    "set_aside": [{"event": one.number, "kind": one.kind, "reason": one.reason} for one in asides],
                    "model": meta.model or None,
                    "configured_model": graph.settings.model,
                    "read_only": graph.read_only or None,
                }
            )
            return 0
        print(f"store      {graph.layout.store}")
        print(f"events     {meta.applied} applied" + (f", {len(asides)} set aside" if asides else ""))
        print(f"entities   {counts['entity']}")
        print(f"relations  {counts['relates_to']}, from {counted(counts['observation'], 'statement')}")
        print(f"episodes   {counts['episode']}, of {counted(counts['archive'], 'archive')}")
        print(f"model      {meta.model or 'none yet'}")
        if waiting:
            print(f"waiting    {counted(len(waiting), 'archive')}: `recall graph ingest-all` makes episodes of them")
        for number, failure in meta.account.archives.items():
            print(f"failed     conversation {number:03d}: {failure.reason}")
        for one in asides:
            print(f"set aside  event {one.number} ({one.kind}): {one.reason}")
        return 0

    return with_graph(context, work)


COMMAND = Command("Show what the graph holds, and what waits for it.", _run, _DETAILS, _configure)
