"""What every command that opens the graph has in common."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from recall_plugin.cli.door import Context, for_a_person, print_json, tell
from recall_plugin.domain.journal.events import Printed
from recall_plugin.errors import NotWritable, RecallError, UsageError
from recall_plugin.memory.graph.opening import Graph, open_graph
from recall_plugin.memory.graph.progress import Progress
from recall_plugin.memory.graph.settings import graph_settings
from recall_plugin.memory.graph.views import Sure

_EVERY_SECONDS = 0.2
LIMIT = 10
MOST = 1000


def with_graph(context: Context, work: Callable[[Graph], Awaitable[int]]) -> int:
    """What `work` returns, done with the open graph. What the person should know of it is told on stderr."""
    layout = context.layout()
    settings = graph_settings(layout, context.environment)

    async def use() -> int:
        async with open_graph(layout, settings, now=now(), progress=progress()) as graph:
            try:
                return await work(graph)
            finally:
                for notice in dict.fromkeys(graph.notices):
                    tell(f"recall graph: {notice}")
                if graph.read_only:
                    tell(f"recall graph: nothing is recorded: {graph.read_only}")

    return asyncio.run(use())


def now() -> datetime:
    """The time by the clock, UTC."""
    return datetime.now(UTC)


def sure(graph: Graph) -> Sure:
    """How belief is judged now."""
    return Sure(now(), graph.settings.confidence_half_life)


def progress() -> Progress:
    """Shows how far long work is, on stderr, where a person reads that; a line that is gone when the work is done."""
    if not sys.stderr.isatty():
        return lambda what, done, total: None
    last_shown_at = 0.0

    def show(what: str, done: int, total: int) -> None:
        nonlocal last_shown_at
        finished = done >= total
        if not finished and time.monotonic() - last_shown_at < _EVERY_SECONDS:
            return
        last_shown_at = time.monotonic()
        line = "" if finished else f"{what} {done} of {total}" if total else f"{what} …"
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()

    return show


def add_answer_options(parser: argparse.ArgumentParser, *, limit: int | None = LIMIT) -> None:
    """`--json`, and `--limit` where there is one."""
    if limit is not None:
        parser.add_argument(
            "--limit", type=int, default=limit, metavar="N", help=f"results at the most (default: {limit})"
        )
    parser.add_argument("--json", action="store_true", help="print JSON")


def checked_limit(options: argparse.Namespace) -> int:
    """The limit that was given. Raises UsageError."""
    limit: int = options.limit
    if not 1 <= limit <= MOST:
        raise UsageError(f"--limit takes a number from 1 to {MOST}")
    return limit


def checked_query(options: argparse.Namespace) -> str:
    """The query that was given. Raises UsageError."""
    query: str = options.query
    if not query.strip():
        raise UsageError("the question is empty", hint="say what to look for")
    return query


async def answer(
    graph: Graph,
    options: argparse.Namespace,
    command: str,
    text: str,
    value: Mapping[str, object],
    *,
    entities: tuple[str, ...] = (),
    relations: tuple[str, ...] = (),
    episodes: tuple[tuple[int, int], ...] = (),
) -> int:
    """The answer is printed: as JSON, to a person as it is, elsewhere fenced; and that it was is recorded."""
    shown = Printed("", command, entities, relations, episodes)
    if options.json:
        print_json(value)
    elif not text or for_a_person(os.environ):
        print(text, end="")
    else:
        fenced = graph.settings.key.print(text)
        shown = Printed(fenced.id, command, entities, relations, episodes)
        print(fenced.text, end="")
    if graph.settings.key.problem:
        tell(f"recall graph: this answer will not be recognised when it comes back: {graph.settings.key.problem}")
    if entities or relations or episodes:
        try:
            await graph.record([shown], now=now())
        except NotWritable:
            pass  # which is told at the end
        except RecallError as error:
            tell(f"recall graph: that this was shown is not recorded: {error}")
    return 0
