"""The universal conversation: what every agent's transcript becomes.

An adapter builds these values once, clean (see `clean_text`); nobody checks them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")  # U+0085 is a line break
_CLIP_MARK = re.compile(r"\n\[… (\d{1,12}) characters left out …\]\n", re.ASCII)
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")


class Role(StrEnum):
    """Whose turn it is. The person, the agent, or a tool that the agent used."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolActivity:
    """One use of a tool. What it printed is the turn's text.

    name: the tool's name as the agent calls it.
    input: the essence of what it was asked (a command, a pattern, a URL), one short text; empty where unknown.
    paths: the files it named, in order, without repetition.
    writes: whether the tool changes those files (an edit), rather than reading them.
    error: whether it failed.
    """

    name: str
    input: str = ""
    paths: tuple[str, ...] = ()
    writes: bool = False
    error: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, or one use of a tool.

    id: the vendor's record id; where the vendor gives none, empty, and the turn is known by its place.
    text: clean text (`clean_text`), never redacted here.
    time: when it was said, UTC; None where the vendor does not say.
    tool: present exactly when the role is TOOL.
    unattended: whether the transcript tells that no person typed it although it stands in the person's place, as the
        prompt of a headless run does.
    """

    id: str
    role: Role
    text: str
    time: datetime | None = None
    tool: ToolActivity | None = None
    unattended: bool = False

    def __post_init__(self) -> None:
        if (self.tool is None) is (self.role is Role.TOOL):
            raise ValueError("a turn carries tool activity exactly when its role is tool")


@dataclass(frozen=True, slots=True)
class Session:
    """The span that a conversation belongs to, as far as it is known before the turns are read.

    id: the host's session id, any text.
    agent: which program was talked to: "claude-code", "codex", …, or a host's name.
    cwd: the working directory, empty where unknown.
    """

    id: str
    agent: str = ""
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session and its turns, in the order they were said."""

    session: Session
    turns: tuple[Turn, ...]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)


def clean_text(text: str) -> str:
    """`text` as it can be written anywhere: no terminal escapes, no control characters but tab and newline, valid
    UTF-8.

    CR LF and a lone CR become LF. A surrogate pair that JSON left in two halves is joined; a lone half becomes U+FFFD.
    """
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", text)
    if _SURROGATES.search(text):
        text = _SURROGATE_PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
        text = _SURROGATES.sub("\ufffd", text)
    return text


def clip(text: str, limit: int) -> str:
    """`text`, or its beginning and end around a mark that says how many characters are missing.

    limit: the number of characters of `text` that survive at the most, at least 0. What an earlier clip left out of a
    part that goes now is counted too.
    """
    if len(text) <= limit:
        return text
    tail = limit // 3
    head = limit - tail
    left_out = len(text) - limit
    for mark in _CLIP_MARK.finditer(text, head, len(text) - tail):
        left_out += int(mark.group(1)) - len(mark.group())
    return f"{text[:head]}\n[… {left_out} characters left out …]\n{text[len(text) - tail :]}"


def project_of(cwd: str, repository_root: str = "") -> str:
    """The project that a working directory belongs to: the name of its repository's root, else of the folder itself."""
    return PurePath(repository_root or cwd).name if (repository_root or cwd) else ""
