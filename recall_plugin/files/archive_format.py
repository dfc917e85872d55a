"""The archive: one markdown file a conversation, readable by people, and parsed back to what was said.

What a program believes are the comment lines that carry the file's random mark; what stands between them is text,
whatever it looks like. docs/archive-format.md describes the format.
"""

from __future__ import annotations

import io
import itertools
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from recall_plugin.domain.conversation import Role, Session, ToolActivity, Turn, clean_text
from recall_plugin.domain.digest import Digest
from recall_plugin.domain.instants import (
    format_duration,
    format_instant,
    format_seconds,
    parse_duration,
    parse_instant,
)
from recall_plugin.files import frontmatter, plain_archive

_HEADINGS = {Role.USER: "### User", Role.ASSISTANT: "### Assistant", Role.TOOL: "### Tool"}
_MARK = re.compile(r"[0-9a-f]{32}")
_ABSURD_COUNT = 10**12
_BACKTICKS = re.compile(r"`{3,}")
_FENCE_LINE = re.compile(r"^(`{3,})text$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Head:
    """What an archive says of itself beside its turns.

    number: its place among the conversations, from 1; 0 where the file does not say.
    date: the start of the file's first turn, else when it was archived; UTC.
    messages: turns of the person and of the agent in this file; tool turns are not counted.
    seconds: from the file's first turn to its last.
    source: "session" or "checkpoint" where it is ours, or what another tool wrote.
    trigger: why a checkpoint was made: "auto", "manual", or a host's own word; empty for anything else.
    continues: the number of the archive that this one goes on from.
    mark: 32 hexadecimal digits; empty for a file without marks.
    digest: of the whole session up to the end of this file.
    """

    number: int
    date: datetime | None
    session: Session
    messages: int
    seconds: float
    source: str
    trigger: str
    project: str
    continues: int | None
    mark: str
    digest: Digest


@dataclass(frozen=True, slots=True)
class Archive:
    """A parsed archive. complete: whether its end was found, so that nothing was cut off."""

    head: Head
    turns: tuple[Turn, ...]
    complete: bool


def new_mark() -> str:
    """A mark that no text can know beforehand."""
    return secrets.token_hex(16)


def render_head(head: Head) -> str:
    """The beginning of an archive, up to its first turn."""
    fields: dict[str, frontmatter.Value] = {
        "log": head.number,
        "date": format_seconds(head.date) if head.date else "",
        "session_id": head.session.id,
        "message_count": head.messages,
        "duration": format_duration(head.seconds),
        "source": head.source,
        **({"trigger": head.trigger} if head.trigger else {}),
        "topics": list(head.digest.topics),
        "agent": head.session.agent,
        "cwd": head.session.cwd,
        "project": head.project,
    }
    if head.continues is not None:
        fields["continues"] = head.continues
    fields["mark"] = head.mark
    digest = head.digest
    marked: dict[str, object] = {
        "summary": digest.summary,
        "decisions": list(digest.decisions),
        "action_items": list(digest.action_items),
        "files": list(digest.files),
        "tools": dict(digest.tools),
        "first_at": format_instant(digest.first_at) if digest.first_at else None,
        "last_at": format_instant(digest.last_at) if digest.last_at else None,
        "user_turns": digest.user_turns,
        "assistant_turns": digest.assistant_turns,
    }
    parts = [frontmatter.render(fields), _comment(head.mark, {"digest": marked}), "", "## Summary", ""]
    parts.append(digest.summary or "(nothing to summarise)")
    parts.append("")
    if digest.decisions:
        parts += [f"**Decisions**: {' · '.join(digest.decisions)}", ""]
    if digest.action_items:
        parts += [f"**Action Items**: {' · '.join(digest.action_items)}", ""]
    return "\n".join(parts) + "\n"


def render_turn(mark: str, turn: Turn) -> str:
    """One turn, its comment line before it."""
    marked: dict[str, object] = {"turn": turn.id, "role": turn.role.value}
    if turn.time is not None:
        marked["time"] = format_instant(turn.time)
    if turn.unattended:
        marked["unattended"] = True
    if turn.tool is not None:
        marked["tool"] = _tool_to_json(turn.tool)
    body = turn.text if turn.tool is None else _render_tool(turn.tool, turn.text)
    return f"{_comment(mark, marked)}\n{_HEADINGS[turn.role]}\n\n{body}\n\n"


def render_tail(head: Head, turns: int) -> str:
    """The end of an archive: the comment that closes the last turn, and the tags."""
    lines = [_comment(head.mark, {"end": turns}), "", "## Tags", ""]
    if head.digest.files:
        lines += [f"**Files**: {', '.join(head.digest.files)}", ""]
    if head.digest.tools:
        lines += [f"**Tools**: {', '.join(name for name, _ in head.digest.tools)}", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def render(head: Head, turns: tuple[Turn, ...]) -> str:
    """A whole archive. `parse` gives the same turns back for every conversation of clean text."""
    return "".join(
        [render_head(head), *(render_turn(head.mark, turn) for turn in turns), render_tail(head, len(turns))]
    )


def _comment(mark: str, value: Mapping[str, object]) -> str:
    return f"<!-- recall:{mark} {_json(value)} -->"


def turn_opening(turn_id: str) -> str:
    """How the comment of a turn with this id begins, after the mark: enough to find the turn in an archive's bytes."""
    return _json({"turn": turn_id}).removesuffix("}") + ","


def _json(value: Mapping[str, object]) -> str:
    """JSON that stays on one line and cannot end a comment, whatever the texts inside."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("--", r"-\u002d").replace(">", r"\u003e")


def _render_tool(tool: ToolActivity, text: str) -> str:
    title = " ".join(f"**{tool.name}** {tool.input or ', '.join(tool.paths)}".split())
    caption = f"{title} — failed" if tool.error else title
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{caption}\n\n{fence}text\n{text}\n{fence}"


def _tool_to_json(tool: ToolActivity) -> dict[str, object]:
    value: dict[str, object] = {"name": tool.name}
    if tool.input:
        value["input"] = tool.input
    if tool.paths:
        value["paths"] = list(tool.paths)
    if tool.writes:
        value["writes"] = True
    if tool.error:
        value["error"] = True
    return value


class ArchiveReader:
    """An archive being read from its lines, in memory bounded by its longest turn.

    A file of ours is read by its marks. One without marks (older, or another tool's) is read by its headings, and what
    is ambiguous in it is the agent's. Never raises: a file that is no archive has no turns and the head of an unknown
    session.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        """`lines` end in LF and are split nowhere else, as by `open(..., newline="\\n")`. Reads the head."""
        self.complete = False
        fields, rest = frontmatter.read(iter(lines))
        mark = fields.get("mark")
        if isinstance(mark, str) and _MARK.fullmatch(mark):
            self._sections = _sections(mark, rest)
            first = next(self._sections, None)
            if first is not None and "digest" not in first[0]:
                self._sections = itertools.chain([first], self._sections)
            digest = _digest_from_json(first[0].get("digest") if first else None, fields)
            self.head = _head(fields, mark, digest)
            self._plain: tuple[Turn, ...] | None = None
        else:
            plain = plain_archive.parse("".join(rest))
            topics = _topics(fields) or plain.digest.topics
            self.head = _head(fields, "", replace(plain.digest, topics=topics))
            self._plain = plain.turns

    def turns(self) -> Iterator[Turn]:
        """The turns in order, once; `complete` is right when they are exhausted."""
        if self._plain is not None:
            self.complete = True
            yield from self._plain
            return
        for marked, between in self._sections:
            if "end" in marked:
                self.complete = True
            elif (turn := _turn(marked, between)) is not None:
                yield turn


def parse(text: str) -> Archive:
    """What an archive holds, as `ArchiveReader` reads it."""
    reader = ArchiveReader(io.StringIO(text, newline="\n"))
    turns = tuple(reader.turns())
    return Archive(reader.head, turns, reader.complete)


def _sections(mark: str, lines: Iterator[str]) -> Iterator[tuple[dict[str, object], str]]:
    """Each marked comment's value, with the text up to the next one."""
    opening = f"<!-- recall:{mark} "
    value: dict[str, object] | None = None
    between: list[str] = []
    for line in lines:
        found = _comment_value(line, opening) if line.startswith(opening) else None
        if found is None:
            between.append(line)
            continue
        if value is not None:
            yield value, "".join(between)
        value, between = found, []
    if value is not None:
        yield value, "".join(between)


def _comment_value(line: str, opening: str) -> dict[str, object] | None:
    try:
        value = json.loads(line.rstrip().removeprefix(opening).removesuffix(" -->"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _turn(marked: Mapping[str, object], between: str) -> Turn | None:
    role_name, turn_id = marked.get("role"), marked.get("turn")
    if role_name not in {role.value for role in Role} or not isinstance(turn_id, str):
        return None
    role = Role(str(role_name))
    body = between.removeprefix(f"{_HEADINGS[role]}\n\n").removesuffix("\n\n")
    time = parse_instant(marked.get("time"))
    if role is not Role.TOOL:
        return Turn(turn_id, role, body, time, unattended=marked.get("unattended") is True)
    return Turn(turn_id, role, _fenced(body), time, _tool_from_json(marked.get("tool")))


def _fenced(body: str) -> str:
    """The text inside the fence; the caption above it is one line and cannot look like a fence."""
    opening = _FENCE_LINE.search(body)
    return body if opening is None else body[opening.end() + 1 :].removesuffix(f"\n{opening.group(1)}")


def _tool_from_json(value: object) -> ToolActivity:
    fields = value if isinstance(value, dict) else {}
    return ToolActivity(
        name=_text(fields.get("name")) or "unknown",
        input=_text(fields.get("input")),
        paths=_texts(fields.get("paths")),
        writes=fields.get("writes") is True,
        error=fields.get("error") is True,
    )


def _digest_from_json(value: object, fields: Mapping[str, object]) -> Digest:
    given = value if isinstance(value, dict) else {}
    tools = given.get("tools")
    return Digest(
        summary=_text(given.get("summary")),
        topics=_topics(fields),
        decisions=_texts(given.get("decisions")),
        action_items=_texts(given.get("action_items")),
        files=_texts(given.get("files")),
        tools=tuple((name, _count(often)) for name, often in tools.items()) if isinstance(tools, dict) else (),
        user_turns=_count(given.get("user_turns")),
        assistant_turns=_count(given.get("assistant_turns")),
        first_at=parse_instant(given.get("first_at")),
        last_at=parse_instant(given.get("last_at")),
    )


def _head(fields: Mapping[str, object], mark: str, digest: Digest) -> Head:
    continues = fields.get("continues")
    return Head(
        number=_count(fields.get("log")),
        date=parse_instant(fields.get("date")),
        session=Session(_text(fields.get("session_id")), _text(fields.get("agent")), _text(fields.get("cwd"))),
        messages=_count(fields.get("message_count")),
        seconds=parse_duration(fields.get("duration")),
        source=_text(fields.get("source")) or "session",
        trigger=_text(fields.get("trigger")),
        project=_text(fields.get("project")),
        continues=_count(continues) or None,
        mark=mark,
        digest=digest,
    )


def _topics(fields: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(topic for topic in _texts(fields.get("topics")) if topic)


def _text(value: object) -> str:
    if isinstance(value, bool | None):
        return ""
    return clean_text(str(value)) if isinstance(value, str | int | float) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(clean_text(item) for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _ABSURD_COUNT else 0
