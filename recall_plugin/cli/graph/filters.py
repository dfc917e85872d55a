"""Options that say which episodes may be found."""

from __future__ import annotations

import argparse

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.instants import parse_instant
from recall_plugin.errors import UsageError
from recall_plugin.graph.retrieval.search import Filter


def add_filters(parser: argparse.ArgumentParser) -> None:
    """The options."""
    classes = [provenance.value for provenance in Provenance]
    said = parser.add_argument_group("what was said", "these choose among the fragments, not among what is believed")
    said.add_argument(
        "--class",
        dest="provenance",
        action="append",
        default=[],
        choices=classes,
        metavar="CLASS",
        help=f"only what these said: {', '.join(classes)} (repeatable)",
    )
    said.add_argument("--project", metavar="NAME", help="prefer this project; nothing is hidden")
    said.add_argument("--since", metavar="TIME", help="only what was said from then on, as 2026-03-06")
    said.add_argument("--until", metavar="TIME", help="only what was said up to then")


def chosen(options: argparse.Namespace) -> Filter:
    """What the options say. Raises UsageError."""
    return Filter(
        provenances=[Provenance(name) for name in options.provenance] or None,
        since=_seconds("--since", options.since),
        until=_seconds("--until", options.until),
        preferred=options.project,
    )


def _seconds(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    found = parse_instant(text)
    if found is None:
        raise UsageError(f"{option} takes a time such as 2026-03-06 or 2026-03-06T10:30:00Z, not {text!r}")
    return int(found.timestamp())
