"""Archives without marks: older ones, and other tools'. Read by their headings alone.

Nothing in such a file tells a heading from a text that looks like one, so what is ambiguous is credited to the agent,
whose word weighs least: under-crediting costs confidence that evidence would have earned, over-crediting makes it up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from recall_plugin.domain.conversation import Role, ToolActivity, Turn, clean_text
from recall_plugin.domain.digest import Digest

_ROLES = {"### User": Role.USER, "### Assistant": Role.ASSISTANT, "### Tool": Role.TOOL}
# What a sloppy hand or a quoted archive writes: not believed as a heading, but no longer surely the person's.
_LOOKALIKE = re.compile(r"\s{0,3}#{1,6}\s*(user|human|assistant|agent|tool)\b\W*", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_LABELLED = re.compile(r"\*\*(Decisions|Action Items|Files|Tools)\*\*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class PlainArchive:
    """The turns, without ids or times, and the digest as far as the file's own summary gives one."""

    turns: tuple[Turn, ...]
    digest: Digest


def parse(body: str) -> PlainArchive:
    """The turns and digest of an archive's body, frontmatter removed. Never raises."""
    lines = body.replace("\r\n", "\n").split("\n")
    fenced = _fenced_lines(lines)
    turns: list[Turn] = []
    preamble: list[str] = []
    role: Role | None = None
    collected: list[str] = []
    last = len(lines)
    for number, line in enumerate(lines):
        if line == "## Tags" and not fenced[number] and _only_labels(lines[number + 1 :]):
            last = number
            break
        if line in _ROLES and not fenced[number]:
            _close(turns, role, collected)
            role, collected = _ROLES[line], []
        elif role is None:
            preamble.append(line)
        elif role is Role.USER and _LOOKALIKE.fullmatch(line):
            _close(turns, role, collected)
            role, collected = Role.ASSISTANT, [line]
        else:
            collected.append(line)
    _close(turns, role, collected)
    return PlainArchive(tuple(turns), _digest(preamble, lines[last:], turns))


def _close(turns: list[Turn], role: Role | None, collected: list[str]) -> None:
    text = clean_text("\n".join(collected)).strip("\n")
    if role is None or not text.strip():
        return
    turns.append(Turn("", role, text, tool=ToolActivity("unknown") if role is Role.TOOL else None))


def _only_labels(lines: list[str]) -> bool:
    return all(not line.strip() or _LABELLED.fullmatch(line) for line in lines)


def _fenced_lines(lines: list[str]) -> list[bool]:
    """Whether each line stands inside a code fence; a fence that is never closed is none."""
    inside = [False] * len(lines)
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        fence = match.group(1)
        if opened is None:
            opened = (number, fence)
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and line.strip() == fence:
            for between in range(opened[0], number + 1):
                inside[between] = True
            opened = None
    return inside


def _digest(preamble: list[str], tail: list[str], turns: list[Turn]) -> Digest:
    labelled: dict[str, str] = {}
    summary: list[str] = []
    for line in [*preamble, *tail]:
        if match := _LABELLED.fullmatch(line):
            labelled[match.group(1)] = match.group(2).strip()
        elif line.strip() and not line.startswith(("#", "---")):
            summary.append(line.strip())
    from recall_plugin.domain.digesting.builder import DigestBuilder  # noqa: PLC0415 (costs a hook 35 ms, for no use)

    builder = DigestBuilder()
    for turn in turns:
        builder.add(turn)
    own = builder.finish()
    return replace(
        own,
        summary=clean_text(" ".join(summary)) or own.summary,
        decisions=_one(labelled.get("Decisions")) or own.decisions,
        action_items=_one(labelled.get("Action Items")) or own.action_items,
        files=_several(labelled.get("Files")) or own.files,
        tools=tuple((name, 1) for name in _several(labelled.get("Tools"))) or own.tools,
    )


def _one(text: str | None) -> tuple[str, ...]:
    return (clean_text(text),) if text else ()


def _several(text: str | None) -> tuple[str, ...]:
    return tuple(clean_text(part.strip()) for part in text.split(",") if part.strip()) if text else ()
