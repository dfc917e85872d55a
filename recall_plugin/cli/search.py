"""`recall search`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, for_a_person, print_json, tell
from recall_plugin.domain.instants import format_instant
from recall_plugin.errors import UsageError
from recall_plugin.files.print_key import print_key
from recall_plugin.files.search import ArchiveSearch, LineHit, PassageHit, Source
from recall_plugin.memory.account import note_print

_LIMIT = 20
_CONTEXT = 1
_LONGEST_SHOWN_LINE = 500
_DETAILS = """\
Without an option: the lines that hold QUERY, or all of its words, newest archive first, with the lines around them.
With --ranked: the turns that tell most about QUERY, best first; ask in your own words, none of them is demanded.
Any script; case, width and the composition of accents do not matter. Where stdout is no terminal, the answer is fenced
as recalled text. The exit status is 0 even if nothing was found.

  recall search 'fix/last-row'
  recall search --ranked 'Which queue did we choose last week, exactly?'
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="what to look for")
    parser.add_argument("--ranked", action="store_true", help="by relevance instead of by line")
    parser.add_argument("--limit", type=int, default=_LIMIT, metavar="N", help=f"hits at the most (default: {_LIMIT})")
    parser.add_argument(
        "--context", "-C", type=int, default=_CONTEXT, metavar="N", help=f"lines around a hit (default: {_CONTEXT})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    if options.limit < 1 or options.context < 0:
        raise UsageError("--limit takes a number from 1, --context one from 0")
    if not options.query.strip():
        raise UsageError("QUERY is empty", hint="say what to look for")
    search = ArchiveSearch(context.layout())
    hits: list[LineHit] | list[PassageHit]
    if options.ranked:
        hits = search.passages(options.query, limit=options.limit)
    else:
        hits = search.lines(options.query, context=options.context, limit=options.limit)
    for unread in search.unread:
        tell(f"recall search: conversation {unread.number:03d} was not searched: {unread.reason}")
    if options.json:
        print_json({"query": options.query, "ranked": options.ranked, "hits": [_hit_to_json(hit) for hit in hits]})
    elif not hits:
        tell("nothing found" if options.ranked else "nothing found; --ranked looks for each word by itself")
    else:
        _print(context, "\n".join(_shown(hit) for hit in hits))
    return 0


def _print(context: Context, text: str) -> None:
    """`text` as it is for a person at a terminal, fenced for anybody else."""
    if for_a_person(context.environment):
        print(text, end="")
        return
    key = print_key(context.environment)
    if key.problem:
        tell(f"recall search: this answer will not be recognised when it comes back: {key.problem}")
    fenced = key.print(text)
    print(fenced.text, end="")
    if problem := note_print(context.layout(), fenced.id, "search"):
        tell(f"recall search: {problem}")


def _shown(hit: LineHit | PassageHit) -> str:
    if isinstance(hit, PassageHit):
        body = [f"  {line}" for line in hit.excerpt.split("\n")]
    else:
        body = [f"  {line}" for line in hit.before] + [f"> {hit.line}"] + [f"  {line}" for line in hit.after]
    return "\n".join([_title(hit.source), *(_bounded(line) for line in body)]) + "\n"


def _bounded(line: str) -> str:
    return line if len(line) <= _LONGEST_SHOWN_LINE else f"{line[:_LONGEST_SHOWN_LINE]} […]"


def _title(source: Source) -> str:
    who = f"{source.role} {source.tool}".strip() if source.tool else source.role
    when = f", {format_instant(source.time)}" if source.time else ""
    return f"conversation {source.number:03d}, turn {source.turn}, {who}{when}"


def _hit_to_json(hit: LineHit | PassageHit) -> dict[str, object]:
    source = hit.source
    value: dict[str, object] = {
        "archive": source.number,
        "path": str(source.path),
        "turn": source.turn,
        "role": source.role.value,
        "time": format_instant(source.time) if source.time else None,
    }
    if isinstance(hit, PassageHit):
        return value | {"score": round(hit.score, 4), "text": hit.excerpt}
    return value | {"line": hit.line, "before": list(hit.before), "after": list(hit.after)}


COMMAND = Command("Search the archives.", _run, _DETAILS, _configure)
