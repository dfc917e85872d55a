"""What a pulse is asked when it is set up: the host's own questions and the plugins', and what a right answer is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pulse_hookspecs import SetupPrompt
from pulse_host.settings import Settings, absolute

Value = str | int | bool

_YES = {"yes", "y", "true", "on", "1"}
_NO = {"no", "n", "false", "off", "0"}


@dataclass(frozen=True)
class Question:
    """One question, and where its answer goes.

    plugin: whose section the answer goes to; empty for the top of the file.
    prompt: what is asked.
    folder: relative paths start here.
    """

    plugin: str
    prompt: SetupPrompt
    folder: Path

    @property
    def key(self) -> str:
        """Its full name: `pulse_root`, `recall.llm`."""
        return f"{self.plugin}.{self.prompt.key}" if self.plugin else self.prompt.key

    @property
    def default(self) -> Value | None:
        """The answer of somebody who presses enter; None where there is none, or the plugin offers a wrong one."""
        default = self.prompt.default
        if not isinstance(default, str):
            return default
        try:
            return self.check(default)
        except ValueError:
            return None

    def check(self, text: str) -> Value | None:
        """The answer that `text` gives; None for an empty one to a question that needs none. Raises ValueError."""
        text = text.strip()
        if not text:
            if self.prompt.required:
                raise ValueError("an answer is needed")
            return None
        if not _is_line(text):
            raise ValueError("one line of valid text without control characters is needed")
        match self.prompt.kind:
            case "text":
                return text
            case "path":
                return self._path(text)
            case "integer":
                if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
                    raise ValueError("a whole number is needed, for example 12")
                return int(text)
            case "flag":
                if text.lower() not in _YES | _NO:
                    raise ValueError("yes or no is needed")
                return text.lower() in _YES

    def existing(self, settings: Settings) -> Value | None:
        """The answer that the file gives already; None where it gives none."""
        if self.plugin:
            return self._stands(settings.sections.get(self.plugin, {}).get(self.prompt.key))
        if self.prompt.key == "pulse_root":
            return str(settings.pulse_root) if settings.pulse_root is not None else None
        return settings.name

    def _stands(self, found: object) -> Value | None:
        """What stands in the file: a path as an answer would be, and what is no plain value as its text."""
        if self.prompt.kind == "path" and isinstance(found, str):
            with suppress(ValueError):
                return self.check(found)
        return found if found is None or isinstance(found, str | int | bool) else str(found)

    def show(self, value: Value) -> str:
        """`value` for the eyes of whoever stands around."""
        if self.prompt.secret:
            return "(secret)"
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    def _path(self, text: str) -> str:
        path = absolute(text, self.folder)
        if not _is_line(str(path)):
            raise ValueError(f"the path {str(path)!r} cannot be written as one line of text")
        if self.key == "pulse_root" and path.exists() and not path.is_dir():
            raise ValueError(f"{path} is not a folder")
        return str(path)


def _is_line(text: str) -> bool:
    return not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in text)


def questions(prompts: Mapping[str, tuple[SetupPrompt, ...]], folder: Path) -> tuple[Question, ...]:
    """Everything to ask, in order: the pulse's name, its root, then what each plugin wants to know.

    prompts: what the plugins bring. The first `pulse_root` among them gives the question its words; it is asked once.
    folder: the one that is being set up, absolute. It is the root, unless somebody says otherwise.
    """
    name = SetupPrompt(key="name", question="What is this pulse called?", default=folder.name or "pulse")
    brought = (prompt for group in prompts.values() for prompt in group if prompt.key == "pulse_root")
    root = next(brought, SetupPrompt(key="pulse_root", question="Where does it keep what it knows?"))
    default = root.default if isinstance(root.default, str) else str(folder)
    root = root.model_copy(update={"kind": "path", "required": True, "secret": False, "default": default})
    others = (
        Question(plugin, prompt, folder)
        for plugin, group in prompts.items()
        for prompt in group
        if prompt.key != "pulse_root"
    )
    return (Question("", name, folder), Question("", root, folder), *others)
