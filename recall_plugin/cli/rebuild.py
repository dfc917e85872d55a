"""`recall rebuild`."""

from __future__ import annotations

import argparse
import asyncio

from recall_plugin.cli.door import Command, Context, print_json, tell
from recall_plugin.domain.wording import counted

_DETAILS = """\
The store is made again, beside the old one, from the journal and the archives, and swapped in when it is whole; then
the old one is removed. Beliefs come out the same, to the last digit. No model is called but for the embedding of texts
whose vectors are missing. Needed where the store is damaged; harmless at any time.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    from recall_plugin.cli.graph.door import now, progress
    from recall_plugin.memory.graph.rebuilding import rebuild
    from recall_plugin.memory.graph.settings import graph_settings

    layout = context.layout()
    settings = graph_settings(layout, context.environment)
    done = asyncio.run(rebuild(layout, settings, now=now(), progress=progress()))
    for number, reason in done.failed.items():
        tell(f"recall rebuild: conversation {number:03d} has no episodes: {reason}")
    if options.json:
        print_json(
            {
                "events": done.events,
                "counts": done.counts,
                "embedded": done.embedded,
                "set_aside": done.asides,
                "failed_archives": {str(number): reason for number, reason in done.failed.items()},
                "seconds": round(done.seconds, 3),
            }
        )
    else:
        counts = done.counts
        print(
            f"rebuilt from {counted(done.events, 'event')} in {done.seconds:.1f} s: "
            f"{counted(counts['entity'], 'entity', 'entities')}, {counted(counts['relates_to'], 'relation')}, "
            f"{counted(counts['episode'], 'episode')}; {counted(done.embedded, 'window')} embedded"
            + (f"; {counted(done.asides, 'event')} set aside" if done.asides else "")
        )
    return 1 if done.failed else 0


COMMAND = Command("Make the graph again from the journal and the archives.", _run, _DETAILS, _configure)
