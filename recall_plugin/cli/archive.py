"""`recall archive`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from recall_plugin.cli.door import Command, Context, print_json, tell
from recall_plugin.domain.text.sentences import shorten
from recall_plugin.domain.transcript import ReadReport
from recall_plugin.domain.wording import counted
from recall_plugin.errors import ConfigRefused, NotInitialised
from recall_plugin.memory import archive
from recall_plugin.memory.archive import Archived
from recall_plugin.memory.policy import Settings, settings

_DETAILS = """\
FILE is a transcript of Claude Code (.jsonl), or a conversation file in recall's own format (.md). Archiving a session
again keeps only what is new, in a file that continues the earlier one. Secrets are masked before anything is written.

  recall archive ~/.claude/projects/-home-me-app/7c1f6a52-….jsonl
  recall archive session.jsonl --dry-run --json     the session as it would be archived; no memory is needed

A dry run shows the whole session, whatever of it is archived already.
"""


_SHOWN_CHARS = 100


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the transcript or conversation file")
    parser.add_argument(
        "--dry-run", action="store_true", help="print what the session holds as it would be archived; write nothing"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(context: Context, options: argparse.Namespace) -> int:
    if options.dry_run:
        return _dry_run(context, options)
    layout = context.layout()
    known = settings(layout)
    if known.refused is not None:
        tell(f"recall: {known.refused}; archiving with the strictest redaction")
    archived = archive.archive_file(layout, options.file, known)
    if options.json:
        print_json(_to_json(archived))
        tell_of_reading(archived.report, tell)
    else:
        tell_of(archived, print)
    return 0


def _dry_run(context: Context, options: argparse.Namespace) -> int:
    preview = archive.preview(options.file, _settings_if_any(context).policy)
    tell_of_reading(preview.transcript.report, tell)
    if options.json:
        print_json(preview.to_json())
        return 0
    inherited = f", and {counted(len(preview.inherited), 'turn')} of its parent" if preview.inherited else ""
    print(f"session {preview.transcript.session.id}: {counted(len(preview.turns), 'turn')}{inherited}")
    for turn in preview.turns:
        name = turn.tool.name if turn.tool else turn.role.value
        text = " ".join(turn.text.split())
        print(f"{name:>12}  {shorten(text, _SHOWN_CHARS)}")
    return 0


def _settings_if_any(context: Context) -> Settings:
    """The settings of the memory at hand; the strictest where there is none: a preview needs no memory."""
    from recall_plugin.files.policy import Policy
    from recall_plugin.files.redaction import redact

    try:
        known = settings(context.layout())
    except NotInitialised:
        return Settings(Policy(redact))
    if isinstance(known.refused, ConfigRefused):
        tell(f"recall: {known.refused}; showing the strictest redaction")
    return known


def tell_of(archived: Archived, say: Callable[[str], None]) -> None:
    """What was archived, through `say`; what the person should know beside it, on stderr."""
    outcome = archived.outcome
    if outcome.path is None:
        if outcome.known:
            say(f"session {outcome.session_id}: nothing new, {counted(outcome.known, 'turn')} archived already")
        else:
            say(f"session {outcome.session_id}: nothing was said, nothing archived")
    else:
        goes_on = f", continues conversation {outcome.continues:03d}" if outcome.continues else ""
        amount = f"{counted(outcome.messages, 'message')} and {counted(outcome.tools, 'tool use')}"
        say(f"session {outcome.session_id}: archived {amount} as {outcome.path.name}{goes_on}")
    for note in outcome.notes:
        tell(f"recall: {note}")
    tell_of_reading(archived.report, tell)


def tell_of_reading(report: ReadReport, say: Callable[[str], None]) -> None:
    """What of the transcript could not be read, through `say`."""
    if report.skipped_lines:
        verb = "was" if report.skipped_lines == 1 else "were"
        say(f"recall: {counted(report.skipped_lines, 'line')} {verb} skipped: torn, or no JSON object")
    for warning in report.warnings:
        say(f"recall: {warning}")


def _to_json(archived: Archived) -> dict[str, object]:
    outcome = archived.outcome
    return {
        "session_id": outcome.session_id,
        "archived": outcome.path is not None,
        "number": outcome.number,
        "path": str(outcome.path) if outcome.path else None,
        "continues": outcome.continues,
        "messages": outcome.messages,
        "tools": outcome.tools,
        "already_archived": outcome.known,
        "skipped_lines": archived.report.skipped_lines,
        "notes": [*outcome.notes, *archived.report.warnings],
    }


COMMAND = Command("Archive a transcript or a conversation file.", _run, _DETAILS, _configure)
