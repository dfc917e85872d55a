"""How to write a conversation down, as the config says, or as strictly as possible where the config is refused."""

from __future__ import annotations

from dataclasses import dataclass

from recall_plugin.domain import defaults
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import ConfigRefused
from recall_plugin.files.policy import Policy
from recall_plugin.files.redaction import redact


@dataclass(frozen=True, slots=True)
class Settings:
    """What the text layers go by.

    masks: whether secrets are masked. refused: why the config is not followed, where it is not.
    """

    policy: Policy
    masks: bool = True
    consume_chars: int = defaults.CONSUME_CHARS
    embedding_model: str = defaults.EMBEDDING_MODEL
    refused: ConfigRefused | None = None


def settings(layout: Layout) -> Settings:
    """The settings of a memory. Never raises ConfigRefused: capture needs no config (law 4)."""
    if not layout.config.exists() and not layout.config.is_symlink():
        return Settings(Policy(redact))  # spares a hook the import of the config's library
    from recall_plugin.files.config_file import load_config  # noqa: PLC0415 (a hook without a config does not pay for it)

    try:
        given = load_config(layout.config)
    except ConfigRefused as refused:
        return Settings(Policy(redact), refused=refused)
    policy = Policy(
        redact if given.redaction.enabled else _unchanged,
        tool_text_limit=given.archive.tool_text_chars,
        window=given.ephemeral.max_entries,
    )
    return Settings(policy, given.redaction.enabled, given.consume.max_chars, given.graph.embedding.model)


def _unchanged(text: str) -> str:
    return text
