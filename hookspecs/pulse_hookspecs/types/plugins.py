"""What a plugin says of itself before it is started, and what the host gives to it when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Protocol, Self, runtime_checkable

from pydantic import ConfigDict, Field, model_validator

from pulse_hookspecs.types.base import NonEmpty, Text, Value


class Role(StrEnum):
    """What a plugin is to its host. The Memory role is filled by exactly one plugin, the others by any number."""

    MEMORY = "memory"
    TOOL = "tool"
    CHANNEL = "channel"


class PluginMeta(Value):
    """Who a plugin is.

    name: what a person calls it. (Hosts file it under the name of its entry point, which is usually the same.)
    version: its version, as its distribution has it.
    role: what it is to its host.
    description: one sentence; may be empty.
    """

    name: NonEmpty
    version: NonEmpty
    role: Role
    description: Text = ""


class SetupPrompt(Value):
    """One question that a host asks when a pulse is set up.

    key: under which the answer comes back in `StartContext.config`. The key `pulse_root` is shared by all plugins: it
        is asked once, and its answer comes back as `StartContext.pulse_root`. Leave its default to the host, which
        offers the folder that is being set up.
    question: what the person reads; one line, without the default.
    required: whether the plugin cannot do without an answer. A question that is not required may be left empty; its key
        is then absent from the config.
    secret: whether the answer must not be shown, now or later. A secret has no default.
    default: the answer of a person who just presses enter; of the type that `kind` says, or None.
    kind: what a right answer is:
        "text"     one line of text (str)
        "path"     a file or folder; comes back absolute, with `~` resolved (str)
        "integer"  a whole number (int)
        "flag"     yes or no (bool)
    """

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    question: NonEmpty
    required: bool = True
    secret: bool = False
    default: str | int | bool | None = None
    kind: Literal["text", "path", "integer", "flag"] = "text"

    @model_validator(mode="after")
    def _default_fits(self) -> Self:
        if self.default is None:
            return self
        if self.secret:
            raise ValueError(f"{self.key}: a secret has no default")
        expected = {"text": str, "path": str, "integer": int, "flag": bool}[self.kind]
        if type(self.default) is not expected:
            raise ValueError(
                f"{self.key}: the default of a prompt of kind {self.kind!r} is of type {expected.__name__}"
            )
        return self


@runtime_checkable
class LLMProvider(Protocol):
    """A language model that the host lends to its plugins."""

    def complete(self, system: str, prompt: str, max_tokens: int) -> str:
        """What the model answers to `prompt` under the instructions `system`.

        max_tokens: the greatest length of the answer in the model's tokens, at least 1.
        Blocks until the answer is whole, which may take minutes; safe to call from any thread. Raises whatever the
        provider raises: a plugin that calls it expects any `Exception`.
        """
        ...


class StartContext(Value):
    """What a plugin needs to know to start.

    pulse_root: the home of this agent: absolute, a folder that exists. Everything the plugin keeps belongs under it.
    pulse_name: what the person calls this pulse.
    config: the plugin's own section of the host's config: the answers to its prompts and whatever else the person wrote
        there, as plain TOML or JSON values. May hold secrets, so neither `repr` nor JSON shows it.
    llm: a language model that the plugin may use; None where the host lends none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    pulse_root: Path
    pulse_name: NonEmpty
    config: Mapping[str, object] = Field(default_factory=dict, repr=False, exclude=True)
    llm: LLMProvider | None = Field(default=None, repr=False, exclude=True)

    @model_validator(mode="after")
    def _root_is_absolute(self) -> Self:
        if not self.pulse_root.is_absolute():
            raise ValueError(f"pulse_root must be absolute, not {str(self.pulse_root)!r}")
        return self
