"""`recall archive-session`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.cli.hooks import archive_payload

_DETAILS = """\
Made for a session-end hook: reads the hook's JSON payload from stdin, and archives what is new in the transcript that
it names. Messages go to stderr, stdout stays empty, and the exit status is 0 even on failure, so that no session pays
for it.

  Claude Code, in ~/.claude/settings.json (without a timeout, 1.5 seconds are all that a session end allows):
  {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "recall archive-session", "timeout": 60}]}]}}
"""


def _run(context: Context, options: argparse.Namespace) -> int:
    return archive_payload(context, "session")


COMMAND = Command("Archive the session of a hook's payload on stdin.", _run, _DETAILS, is_hook=True)
