"""`recall consume`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, tell
from recall_plugin.files.print_key import print_key
from recall_plugin.memory.account import note_print
from recall_plugin.memory.session_start import session_context

_DETAILS = """\
Made for a session-start hook: MEMORY.md and the latest sessions, between two lines that mark them as recalled, within
the length that `consume.max_chars` allows. What could not be read is named in it. The exit status is always 0.

  Claude Code, in ~/.claude/settings.json:
  {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "recall consume"}]}]}}
"""


def _run(context: Context, options: argparse.Namespace) -> int:
    layout = context.layout()
    fenced = session_context(layout, print_key(context.environment))
    print(fenced.text, end="", flush=True)
    if problem := note_print(layout, fenced.id, "consume"):
        tell(f"recall consume: {problem}")
    return 0


COMMAND = Command("Print what a new session should know.", _run, _DETAILS, is_hook=True)
