"""`recall graph add-entity`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.actor import find_actor
from recall_plugin.cli.door import Command, Context, print_json
from recall_plugin.cli.graph.door import now, with_graph
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.errors import UsageError
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import NewEntity, add_entity
from recall_plugin.memory.graph.views import entity_to_json

_DETAILS = """\
An entity is found by its abstract and its names; a person, a project, a tool and the like are updated in place, a
decision, an event, a case and the like only ever grow. Two of one name and type are one; give another type, or --alias.

  recall graph add-entity harbor --type project --abstract 'the queue service of the port'
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    types = [entity_type.value for entity_type in EntityType]
    parser.add_argument("name", metavar="NAME", help="what it is called, at most 200 characters")
    parser.add_argument("--type", required=True, choices=types, metavar="TYPE", help=f"one of {', '.join(types)}")
    parser.add_argument("--alias", action="append", default=[], metavar="NAME", help="another name (repeatable)")
    parser.add_argument("--abstract", default="", metavar="TEXT", help="what it is, in a sentence")
    parser.add_argument("--overview", default="", metavar="TEXT", help="the same in a paragraph")
    parser.add_argument("--content", default="", metavar="TEXT", help="everything about it")
    parser.add_argument(
        "--attribute", action="append", default=[], metavar="NAME=VALUE", help="a fact about it (repeatable)"
    )
    parser.add_argument("--project", default="", metavar="NAME", help="the project that it belongs to")
    parser.add_argument("--update", action="store_true", help="change an entity that exists")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    new = NewEntity(
        name=options.name,
        type=EntityType(options.type),
        aliases=options.alias,
        abstract=options.abstract,
        overview=options.overview,
        content=options.content,
        attributes=dict(_attribute(text) for text in options.attribute),
        project=options.project,
    )
    actor = find_actor(context.environment)

    async def work(graph: Graph) -> int:
        entity = await add_entity(graph, new, actor, now=now(), update=options.update)
        if options.json:
            print_json(entity_to_json(entity))
        else:
            print(f"{entity.type} {entity.name} ({entity.key})")
        return 0

    return with_graph(context, work)


def _attribute(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"--attribute takes NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


COMMAND = Command("Add an entity by hand.", _run, _DETAILS, _configure)
