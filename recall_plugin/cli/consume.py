"""`recall consume`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context
from recall_plugin.files.print_key import print_key
from recall_plugin.memory.session_start import session_context

_DETAILS = """\
Made for a session-start hook: MEMORY.md and the latest sessions, between two lines that mark them as recalled, within
the length that `consume.max_chars` allows. What could not be read is named in it. The exit status is always 0.

  Claude Code, in ~/.claude/settings.json:
  {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "recall consume"}]}]}}
"""


def _run(context: Context, options: argparse.Namespace) -> int:
    print(session_context(context.layout(), print_key(context.environment)).text, end="")
    return 0


COMMAND = Command("Print what a new session should know.", _run, _DETAILS, is_hook=True)
