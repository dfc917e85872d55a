"""MEMORY.md: the curated facts. It is the person's and the agent's; recall creates it, and then leaves it alone."""

from __future__ import annotations

from recall_plugin.domain.layout import Layout
from recall_plugin.files.atomic import read_file, staged

# Beyond this a file that is always in context costs more than it tells.
ADVISED_LINES = 200

TEMPLATE = """# Memory

<!--
This file is yours and your agent's. It is put in front of every session, so keep it short: about 200 lines of what
stays true.

- Write facts, one a line, with a date where it matters: "2026-03-06: the gauge reports metres, never feet."
- Take out what is no longer true; the conversations keep the history.
- recall created this file and never changes it.

What stands in this comment is not shown to the agent.
-->
"""


def create(layout: Layout) -> bool:
    """MEMORY.md stands there; whether it is new. An existing one is never touched. Raises WriteFailed."""
    if layout.curated.exists() or layout.curated.is_symlink():
        return False
    with staged(layout.memory, destination=layout.curated) as stage:
        stage.file.write(TEMPLATE.encode())
        return stage.claim(layout.curated)


def read(layout: Layout) -> str | None:
    """MEMORY.md as it stands, invalid UTF-8 replaced; None where it is missing. Raises LayoutError."""
    data = read_file(layout.curated)
    return data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n") if data is not None else None


def facts(text: str) -> str:
    """What of MEMORY.md is meant to be read: all but the comment that explains it."""
    explained, _, rest = text.partition("-->")
    shown = rest if explained.startswith(TEMPLATE.partition("-->")[0]) else text
    return shown.strip()
