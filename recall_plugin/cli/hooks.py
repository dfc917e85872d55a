"""What the two commands that read a hook's payload share."""

from __future__ import annotations

import json
import os
import select
import time

from recall_adapters.claude_hooks import parse_payload
from recall_plugin.cli.archive import tell_of
from recall_plugin.cli.door import Context, tell
from recall_plugin.memory.archive import archive_hook
from recall_plugin.memory.policy import settings

_STDIN = 0
# A payload is a few hundred bytes; one with a long last message some thousands.
_LARGEST_PAYLOAD = 16 << 20
# A host writes its payload at once. One that leaves the pipe open must not keep the session waiting.
_PATIENCE_SECONDS = 2.0
_MOST_SECONDS = 5.0


def archive_payload(context: Context, source: str, trigger: str | None = None) -> int:
    """The session of the payload on stdin is archived, and stderr says what came of it; stdout stays empty.

    trigger: of a checkpoint, where the command line gave one; else the payload's.
    """
    payload = parse_payload(_read_payload())
    layout = context.layout()
    known = settings(layout)
    if known.refused is not None:
        tell(f"recall: {known.refused}; archiving with the strictest redaction")
    why = (trigger or payload.trigger or "auto") if source == "checkpoint" else ""
    tell_of(archive_hook(layout, payload, known, source=source, trigger=why), tell)
    return 0


def _read_payload() -> bytes:
    """What stands on stdin, up to its end, to the end of a whole JSON value, or until nothing comes for a while."""
    data = b""
    deadline = time.monotonic() + _MOST_SECONDS
    while len(data) < _LARGEST_PAYLOAD and time.monotonic() < deadline:
        try:
            if not select.select([_STDIN], [], [], _PATIENCE_SECONDS)[0]:
                break
            chunk = os.read(_STDIN, 1 << 16)
        except OSError:  # closed
            break
        if not chunk:
            break
        data += chunk
        if chunk.rstrip().endswith(b"}") and _is_whole(data):
            break
    return data


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
