"""Memories with a graph: archives are kept, the graph is opened and asked, and what it holds is laid open."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from recall_plugin.domain.actor import Actor, ActorKind
from recall_plugin.domain.conversation import Conversation, Role, Session, ToolActivity, Turn
from recall_plugin.domain.knowledge.entity import Entity, EntityType
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.files import archiving
from recall_plugin.files.policy import Policy
from recall_plugin.graph.store.schema import TABLES
from recall_plugin.graph.store.store import Store
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph, open_graph
from recall_plugin.memory.graph.relating import Change, NewEntity, Statement, add_entity, relate
from recall_plugin.memory.graph.settings import GraphSettings, graph_settings
from recall_plugin.memory.graph.views import Sure

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
PERSON = Actor(ActorKind.PERSON, "the test says so")
AGENT = Actor(ActorKind.AGENT, "the test says so")

Rows = dict[str, dict[str, dict[str, Any]]]
_Result = TypeVar("_Result")


def clock() -> datetime:
    """The time, for whoever asks for it again and again: it stands still."""
    return NOW


def settings_of(layout: Layout, environment: Mapping[str, str] = os.environ) -> GraphSettings:
    """The settings of a memory, by its config; nobody waits long for a store that is held."""
    return replace(graph_settings(layout, environment), patience=0.2)


def with_graph(layout: Layout, work: Callable[[Graph], Awaitable[_Result]], now: datetime = NOW) -> _Result:
    """What `work` gives, done with the open graph."""

    async def use() -> _Result:
        async with open_graph(layout, settings_of(layout), now=now) as graph:
            return await work(graph)

    return asyncio.run(use())


def user(text: str, *, unattended: bool = False) -> Turn:
    """What stands in the person's place."""
    return Turn("", Role.USER, text, unattended=unattended)


def agent(text: str) -> Turn:
    """What the agent said."""
    return Turn("", Role.ASSISTANT, text)


def tool(text: str, *paths: str, writes: bool = False, error: bool = False) -> Turn:
    """What a tool printed that read, or wrote, files."""
    return Turn("", Role.TOOL, text, tool=ToolActivity("Edit" if writes else "Read", "", paths, writes, error))


def keep(layout: Layout, *turns: Turn, session: str = "s1", cwd: str = "/home/ada/harbor") -> int:
    """The number of a new archive that holds the turns, a minute apart. Secrets are not masked."""
    timed = tuple(
        replace(turn, id=turn.id or f"{session}-{place}", time=turn.time or NOW + timedelta(minutes=place))
        for place, turn in enumerate(turns)
    )
    conversation = Conversation(Session(session, "claude-code", cwd), timed)
    outcome = archiving.archive(
        layout, GivenTranscript(conversation), Policy(lambda text: text), source="session", now=NOW
    )
    assert outcome.number is not None
    return outcome.number


def sure(graph: Graph, now: datetime = NOW) -> Sure:
    """How belief is judged."""
    return Sure(now, graph.settings.confidence_half_life)


async def entity(graph: Graph, name: str, kind: EntityType = EntityType.TOOL, **more: Any) -> Entity:
    """An entity that a person made."""
    return await add_entity(graph, NewEntity(name, kind, **more), PERSON, now=NOW)


async def say(graph: Graph, source: str, relation: str, target: str, actor: Actor = PERSON, **more: Any) -> Change:
    """A relation that somebody claims, between entities that are there."""
    said = Statement(Wanted.parse(source), relation, Wanted.parse(target), **more)
    return await relate(graph, said, actor, now=NOW)


async def contents(store: Store) -> Rows:
    """Every row of every table, by its id; `meta` without its marks, which no two stores share."""
    found: Rows = {}
    for table in (*TABLES, "meta"):
        [answer] = await store.engine.query(f"SELECT * FROM {table}")
        found[table] = {str(row["id"]): {name: _plain(value) for name, value in row.items()} for row in answer}
    for row in found["meta"].values():
        del row["epoch"], row["entities"]
    return found


def holds(layout: Layout) -> Rows:
    """The same of a memory's graph, which is opened for that."""
    return with_graph(layout, lambda graph: contents(graph.store))


def files_under(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, by its path there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _plain(value: Any) -> Any:
    """Floats by all their digits, so that equal means equal to the bit; ids and instants as text."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | bytes | None) else repr(value)
