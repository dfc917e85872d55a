"""`recall health`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, print_json
from recall_plugin.cli.status import reasons, state
from recall_plugin.domain.health import Healthy, to_json
from recall_plugin.memory.status import status

_DETAILS = """\
healthy   everything works, nothing is lost or stuck
degraded  sessions are kept, but something wants mending; each reason says what
down      something that was asked for does not happen

The exit status is 0 when healthy and 1 otherwise, for a monitor that looks no further.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    health = status(context.layout()).health
    if options.json:
        print_json(to_json(health))
    else:
        print("\n".join([state(health), *(f"- {reason}" for reason in reasons(health))]))
    return 0 if isinstance(health, Healthy) else 1


COMMAND = Command("Say whether the memory is healthy, degraded or down, and why.", _run, _DETAILS, _configure)
