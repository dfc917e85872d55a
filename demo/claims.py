"""What three kinds of witness say: the person, a document, and the agent itself. A program that uses the memory.

The command line finds out who types; a program says for whom it acts. This one plays each part of the demonstration.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from recall_plugin.cli.graph.changes import change_text
from recall_plugin.domain.actor import Actor, ActorKind
from recall_plugin.domain.belief.evidence import ExtractionContext
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.layout import Layout
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph, open_graph
from recall_plugin.memory.graph.relating import NewEntity, Statement, add_entity, correct, relate
from recall_plugin.memory.graph.settings import graph_settings
from recall_plugin.memory.graph.views import Sure

PERSON = Actor(ActorKind.PERSON, "the demonstration plays the person")
AGENT = Actor(ActorKind.AGENT, "the demonstration plays the agent")
ENTITIES = (
    NewEntity("harbor", EntityType.PROJECT, abstract="the service that moves messages of the port"),
    NewEntity("Kestrel", EntityType.TOOL, abstract="a message queue"),
    NewEntity("Redis list", EntityType.TOOL, aliases=["the old queue"], abstract="a list in Redis, used as a queue"),
    NewEntity("api", EntityType.SERVICE, abstract="the HTTP interface of harbor"),
    NewEntity("port 22", EntityType.CONCEPT),
    NewEntity("port 49222", EntityType.CONCEPT),
)


async def claims(graph: Graph) -> None:
    """Entities and relations by three classes of witness."""
    for entity in ENTITIES:
        await add_entity(graph, entity, PERSON, now=now())
    handbook, wiki = "docs.harbor.example/queues", "wiki.harbor.example/api"
    await said(graph, "the agent thinks so", AGENT, "harbor", "USES", "Kestrel")
    await said(graph, "the agent says it again, and again: one origin", AGENT, "harbor", "USES", "Kestrel")
    await said(graph, "the person says so", PERSON, "harbor", "USES", "Kestrel")
    await said(graph, "a document says so", PERSON, "harbor", "USES", "Kestrel", handbook)
    await said(graph, "the same document once more: nothing new", PERSON, "harbor", "USES", "Kestrel", handbook)
    await said(graph, "the agent thinks so", AGENT, "harbor", "USES", "Redis list")
    await said(graph, "a document says so", PERSON, "api", "LISTENS_ON", "port 22", wiki)


async def correction(graph: Graph) -> None:
    """The person corrects a document."""
    old = (Wanted("api"), "LISTENS_ON", Wanted("port 22"))
    print("- the person: no, 49222")
    change = await correct(graph, *old, PERSON, verdict="wrong", now=now(), quote="no, 49222")
    print(change_text(change, sure(graph)), end="")
    await said(graph, "and the replacement", PERSON, "api", "LISTENS_ON", "port 49222")


async def said(
    graph: Graph, why: str, actor: Actor, source: str, relation: str, target: str, document: str = ""
) -> None:
    """One statement, and what it does to the belief."""
    statement = Statement(
        source=Wanted(source),
        relation=relation,
        target=Wanted(target),
        context=ExtractionContext.EXPLICIT if document else None,
        provenance=Provenance.EXTERNAL if document else None,
        origin=document,
    )
    print(f"- {why}")
    print(change_text(await relate(graph, statement, actor, now=now()), sure(graph)), end="")


def sure(graph: Graph) -> Sure:
    """How belief is judged now."""
    return Sure(now(), graph.settings.confidence_half_life)


def now() -> datetime:
    """The time by the clock."""
    return datetime.now(UTC)


async def main() -> None:
    """Plays the part that the command line names."""
    part = {"claims": claims, "correction": correction}[sys.argv[1]]
    layout = Layout(Path(os.environ["RECALL_PULSE_ROOT"]))
    async with open_graph(layout, graph_settings(layout, os.environ), now=now()) as graph:
        await part(graph)


asyncio.run(main())
