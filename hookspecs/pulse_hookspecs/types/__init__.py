"""The values that a host and its plugins exchange. Each is frozen: once made, it is right and stays as it is.

    Message ── blocks: TextBlock | ToolUseBlock | ToolResultBlock
    SessionMeta                        what is known of a session beside its messages
    TranscriptReading                  a session and its messages, read from a file
    ArchiveReceipt, CheckpointReceipt  what became of the messages
    Healthy | Degraded | Down          how a plugin fares, with its layers
    PluginMeta, Role, SetupPrompt      what a plugin says of itself before it is started
    StartContext, LLMProvider          what the host gives to a plugin when it starts

Every value but `TranscriptReading` is a pydantic model. An unknown field is refused, so a misspelling is found where it
is written. `model_dump_json` and `model_validate_json` are each other's inverse; a union is told apart by `type` (a
block) or `state` (a health). Text can always be written as UTF-8: half a surrogate pair, which foreign JSON and file
names bring along, becomes U+FFFD.
"""

from pulse_hookspecs.types.health import Degraded, Down, Health, HealthAdapter, Healthy, LayerHealth, worst
from pulse_hookspecs.types.messages import (
    Block,
    Message,
    SessionMeta,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    TranscriptReading,
)
from pulse_hookspecs.types.plugins import LLMProvider, PluginMeta, Role, SetupPrompt, StartContext
from pulse_hookspecs.types.receipts import ArchiveReceipt, CheckpointReceipt

__all__ = [
    "ArchiveReceipt",
    "Block",
    "CheckpointReceipt",
    "Degraded",
    "Down",
    "Health",
    "HealthAdapter",
    "Healthy",
    "LLMProvider",
    "LayerHealth",
    "Message",
    "PluginMeta",
    "Role",
    "SessionMeta",
    "SetupPrompt",
    "StartContext",
    "TextBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "TranscriptReading",
    "worst",
]
