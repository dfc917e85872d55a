"""`recall graph ingest-all`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, print_json, tell
from recall_plugin.cli.graph.door import now, progress, with_graph
from recall_plugin.domain.wording import counted
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.opening import Graph

_DETAILS = """\
An archive is ingested once; what was interrupted goes on where it stood. Nothing leaves the machine: texts are embedded
by a local model.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    async def work(graph: Graph) -> int:
        done = await ingest_waiting(graph, now=now, progress=progress())
        failed = [one for one in done if one.failure]
        for one in failed:
            tell(f"recall graph ingest-all: conversation {one.archive:03d} failed: {one.failure}")
        if options.json:
            print_json(
                [
                    {
                        "archive": one.archive,
                        "episodes": one.episodes,
                        "windows": one.windows,
                        "embedded": one.embedded,
                        "seconds": round(one.seconds, 3),
                        "failure": one.failure or None,
                    }
                    for one in done
                ]
            )
        elif not done:
            print("nothing waits to be ingested")
        else:
            episodes, windows = sum(one.episodes for one in done), sum(one.windows for one in done)
            seconds = sum(one.seconds for one in done)
            print(
                f"ingested {counted(len(done) - len(failed), 'archive')}: {counted(episodes, 'episode')},"
                f" {counted(windows, 'window')}, {seconds:.1f} s"
            )
        return 1 if failed else 0

    return with_graph(context, work)


COMMAND = Command("Make episodes of every archive that has none.", _run, _DETAILS, _configure)
