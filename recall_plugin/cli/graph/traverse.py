"""`recall graph traverse`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.graph.door import add_answer_options, answer, sure, with_graph
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import relation_type
from recall_plugin.domain.wording import counted
from recall_plugin.errors import UsageError
from recall_plugin.memory.graph import naming
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.traversing import DEEPEST, Branch, Tree, traverse

_DEPTH = 2
_DETAILS = """\
Each relation stands with its effective confidence, as [85%]; what nothing speaks against stands without. The surest
come first. Relations that have faded under 10 % are left out; --all shows them. An entity is expanded once, where it is
nearest; "…" stands where it is met again.

  recall graph traverse harbor --depth 2 --rel USES
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("entity", metavar="NAME", help="the entity to start from; TYPE:NAME where several share a name")
    parser.add_argument("--depth", type=int, default=_DEPTH, metavar="N", help=f"steps, 1 to {DEEPEST} (default: 2)")
    parser.add_argument("--rel", action="append", default=[], metavar="TYPE", help="only these relations (repeatable)")
    types = [entity_type.value for entity_type in EntityType]
    parser.add_argument(
        "--type", action="append", default=[], choices=types, metavar="TYPE", help="only to these entities (repeatable)"
    )
    parser.add_argument("--all", action="store_true", help="also what has faded under 10 %%")
    add_answer_options(parser, limit=None)


def _run(context: Context, options: argparse.Namespace) -> int:
    if not 1 <= options.depth <= DEEPEST:
        raise UsageError(f"--depth takes a number from 1 to {DEEPEST}")
    try:
        relation_types = [relation_type(name) for name in options.rel]
    except ValueError as error:
        raise UsageError(str(error)) from error
    wanted = Wanted.parse(options.entity)

    async def work(graph: Graph) -> int:
        root = await naming.find(graph.knowledge, wanted)
        tree = await traverse(
            graph.knowledge,
            root,
            sure(graph),
            depth=options.depth,
            relation_types=relation_types,
            entity_types=[EntityType(name) for name in options.type],
            faint=options.all,
        )
        return await answer(
            graph,
            options,
            "traverse",
            "".join(f"{line}\n" for line in _lines(tree, filtered=bool(options.rel or options.type))),
            tree_to_json(tree),
            entities=tuple(tree.entities()),
            relations=tuple(one.relation.key.id for one in tree.relations()),
        )

    return with_graph(context, work)


def _lines(tree: Tree, *, filtered: bool) -> Iterator[str]:
    yield f"{tree.root.name} ({tree.root.type})"
    yield from _branch_lines(tree.branches, tree.more, "")
    if tree.faint:
        yield f"{counted(tree.faint, 'relation')} under 10 % left out; --all shows them"
    if not tree.branches and not tree.faint:
        yield "nothing that was asked for is related to it" if filtered else "nothing is related to it yet"


def _branch_lines(branches: list[Branch], more: int, indent: str) -> Iterator[str]:
    for place, branch in enumerate(branches):
        is_last = place == len(branches) - 1 and not more
        relation = branch.relation
        arrow = f"─{relation.relation.key.type}→" if branch.outgoing else f"←{relation.relation.key.type}─"
        remark = f" ({relation.standing})" if relation.relation.disputed else ""
        until = relation.relation.valid_until
        ended = f" (until {until:%Y-%m-%d})" if until else ""
        again = " …" if branch.again else ""
        yield (
            f"{indent}{'└' if is_last else '├'}{arrow} {branch.entity.name} ({branch.entity.type})"
            f"{relation.mark}{remark}{ended}{again}"
        )
        yield from _branch_lines(branch.branches, branch.more, indent + ("   " if is_last else "│  "))
    if more:
        yield f"{indent}└ and {more} more"


def tree_to_json(tree: Tree) -> dict[str, object]:
    """The documented shape of `recall graph traverse --json` (docs/commands.md)."""
    return {
        "entity": {"key": tree.root.key, "name": tree.root.name, "type": tree.root.type.value},
        "branches": [_branch_to_json(branch) for branch in tree.branches],
        "more": tree.more,
        "left_out": tree.faint,
    }


def _branch_to_json(branch: Branch) -> dict[str, object]:
    return {
        "relation": branch.relation.to_json(),
        "outgoing": branch.outgoing,
        "entity": {"key": branch.entity.key, "name": branch.entity.name, "type": branch.entity.type.value},
        "path_confidence": round(branch.path, 4),
        "again": branch.again,
        "branches": [_branch_to_json(one) for one in branch.branches],
        "more": branch.more,
    }


COMMAND = Command("Show what is related to an entity, as a tree.", _run, _DETAILS, _configure)
