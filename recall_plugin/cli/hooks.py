"""What the two commands that read a hook's payload share."""

from __future__ import annotations

import sys

from recall_adapters.claude_hooks import parse_payload
from recall_plugin.cli.archive import tell_of
from recall_plugin.cli.door import Context, tell
from recall_plugin.memory.archive import archive_hook
from recall_plugin.memory.policy import settings

# A payload is a few hundred bytes; one with a long last message some thousands.
_LARGEST_PAYLOAD = 16 << 20


def archive_payload(context: Context, source: str) -> int:
    """The session of the payload on stdin is archived, and stderr says what came of it; stdout stays empty."""
    payload = parse_payload(sys.stdin.buffer.read(_LARGEST_PAYLOAD))
    layout = context.layout()
    known = settings(layout)
    if known.refused is not None:
        tell(f"recall: {known.refused}; archiving with the strictest redaction")
    tell_of(archive_hook(layout, payload, known, source=source), tell)
    return 0
