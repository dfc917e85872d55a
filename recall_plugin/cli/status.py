"""`recall status`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, print_json
from recall_plugin.domain.health import Degraded, Down, Health
from recall_plugin.memory.status import status

_DETAILS = """\
Looks, and changes nothing. The exit status is 0 whatever the health; `recall health` reports that.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    root = context.root()
    found = status(root.layout)
    if options.json:
        print_json({**found.to_json(), "root_named_by": root.source})
        return 0
    print(f"{'pulse root':<12} {found.root} ({root.source})")
    for layer in found.layers:
        print(f"{layer.name:<12} {layer.detail}")
    print(f"{'health':<12} {state(found.health)}")
    for reason in reasons(found.health):
        print(f"{'':<12} - {reason}")
    return 0


def state(health: Health) -> str:
    """One word for a health."""
    return {Down: "down", Degraded: "degraded"}.get(type(health), "healthy")


def reasons(health: Health) -> tuple[str, ...]:
    """Why it is not healthy; nothing where it is."""
    if isinstance(health, Down):
        return (health.reason,)
    return health.reasons if isinstance(health, Degraded) else ()


COMMAND = Command("Show what the memory holds and how it is.", _run, _DETAILS, _configure)
