"""`recall checkpoint`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.hooks import archive_payload

_DETAILS = """\
Made for a hook before compaction: reads the hook's JSON payload from stdin, and archives what was said so far. The
archive at the session's end goes on from it, and the session keeps one row in ARCHIVE.md. Messages go to stderr, stdout
stays empty, and the exit status is 0 even on failure: any other could cancel the compaction.

  Claude Code, in ~/.claude/settings.json:
  {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "recall checkpoint"}]}]}}
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trigger",
        metavar="T",
        help="why: auto, manual, or a word of your own (default: what the payload says, else auto)",
    )


def _run(context: Context, options: argparse.Namespace) -> int:
    return archive_payload(context, "checkpoint", options.trigger)


COMMAND = Command("Save the session of a hook's payload before a compaction.", _run, _DETAILS, _configure, is_hook=True)
