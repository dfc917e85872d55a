"""What a tool of Claude Code was asked, and what it answered.

The names of the input fields are those of the built-in tools (https://code.claude.com/docs/en/settings, read
2026-08-22, and public transcripts up to 2.1.270); a tool of an MCP server has whatever fields it likes.
"""

from __future__ import annotations

from recall_adapters.claude_speech import blocks_of, text_of
from recall_plugin.domain.conversation import ToolActivity, clean_text, clip

_WRITERS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_PATHS = ("file_path", "notebook_path", "path")
_ESSENCE = ("command", "pattern", "url", "query", "skill", "description", "prompt", "plan", "task_id")
_LONGEST_INPUT = 1 << 13  # far more than is kept: secrets are masked before it is clipped to that
_LONGEST_NAME = 200
_LONGEST_PATH = 4096  # PATH_MAX; what is longer names no file


def tool_activity(name: object, asked: object) -> ToolActivity:
    """The use of a tool as far as its call tells: not yet whether it failed."""
    label = " ".join(clean_text(name[:_LONGEST_NAME]).split()) if isinstance(name, str) else ""
    fields = asked if isinstance(asked, dict) else {}
    paths = tuple(dict.fromkeys(path for key in _PATHS if (path := _path(fields.get(key)))))
    return ToolActivity(
        name=label or "unknown",
        input=_essence(fields, paths),
        paths=paths,
        writes=label in _WRITERS,
    )


def result_text(content: object) -> str:
    """All that a tool answered, as the vendor kept it: neither bounded nor clean."""
    shown = [shown for block in blocks_of(content) if (shown := _shown(block)) is not None]
    return shown[0] if len(shown) == 1 else "\n".join(shown)  # no second copy of 30 MB


def bounded(text: str, limit: int) -> str:
    """`text` clipped to `limit` characters and clean, without the line feeds around it."""
    return clean_text(clip(text, limit)).strip("\n")


def _shown(block: object) -> str | None:
    if not isinstance(block, str | dict):
        return None
    if isinstance(block, dict):
        kind = block.get("type")
        if kind in ("image", "document"):
            return f"[{kind}]"
        if kind == "tool_reference":
            name = block.get("tool_name")
            return name if isinstance(name, str) else None
        if kind != "text":
            return None
    return text_of(block)


def _essence(fields: dict[str, object], paths: tuple[str, ...]) -> str:
    for key in _ESSENCE:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            text = _short(value)
            return text if key == "command" else " ".join(text.split())
    if paths:
        return ""
    known = ((key, value) for key, value in fields.items() if isinstance(value, str | int | float))
    return _short(", ".join(f"{key[:_LONGEST_NAME]}={_spelled(value)}" for key, value in list(known)[:8]))


def _spelled(value: str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return " ".join(value[:_LONGEST_INPUT].split())
    return str(value)[:40]


def _short(text: str) -> str:
    cut = len(text) > _LONGEST_INPUT
    return clean_text(text[:_LONGEST_INPUT]).strip() + ("…" if cut else "")


def _path(value: object) -> str:
    return clean_text(value) if isinstance(value, str) and len(value) <= _LONGEST_PATH else ""
