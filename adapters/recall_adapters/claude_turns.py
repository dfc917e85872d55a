"""The turns that the records of a Claude Code transcript make, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from recall_adapters.claude_forks import Elder, forked_from, record_id, usable_id
from recall_adapters.claude_records import KNOWN_TYPES, Record
from recall_adapters.claude_speech import (
    agents_words,
    blocks_of,
    is_the_person,
    is_unattended,
    persons_words,
    split_rejection,
)
from recall_adapters.claude_tools import bounded, result_text, tool_activity
from recall_plugin.domain.conversation import Role, ToolActivity, Turn, clean_text
from recall_plugin.domain.instants import parse_instant
from recall_plugin.domain.transcript import ReadReport

_SIZEABLE = 8192
_MOST_UNKNOWN_TYPES = 100
_LONGEST_TITLE = 200

# The field of each title; a later one of these types stands above an earlier one.
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}


def is_subagents(path: Path) -> bool:
    """Whether the file lies in the folder that a session keeps for its subagents, or deeper in it."""
    return "subagents" in path.parts[-4:-1]


@dataclass(slots=True)
class _Asked:
    """A tool's use that has not been answered yet."""

    tool: ToolActivity
    time: datetime | None
    inherited: bool


class Reading:
    """One pass over a transcript: what has been seen, and what is still owed."""

    def __init__(
        self, path: Path, session_id: str, elders: list[Elder], report: ReadReport, *, tool_text_limit: int
    ) -> None:
        """A pass that has not begun. It fills `report` as it goes; `close` completes it."""
        self._name = path.name
        self._of_subagent = is_subagents(path)
        self._session_id = session_id
        self._elders = elders
        self._report = report
        self._tool_text_limit = tool_text_limit
        self._records: set[str] = set()
        self._turns: set[str] = set()
        self._asked: dict[str, _Asked] = {}
        self._types: Counter[str] = Counter()
        self._sidechain_records = 0
        self._own_records = 0
        self._user_turns = 0
        self._parents: Counter[str] = Counter()
        self._titles: dict[str, str] = {}
        self._summaries: dict[str, str] = {}
        # Words typed while the agent works come as a queued command, as a removal from the queue, or as both, in either
        # order. These have come in one way and may yet come in the other.
        self._removed: list[str] = []
        self._queued: list[str] = []
        # Of the record at hand.
        self._inherited = False
        self._unattended = False
        self._time: datetime | None = None

    def take(self, record: Record) -> Iterator[Turn]:
        """The turns that `record` makes; usually one or none."""
        self._note(record)
        sidechain = self._of_subagent or record.fields.get("isSidechain") is True
        if record.kind in ("user", "assistant"):
            self._sidechain_records += sidechain
            self._own_records += not sidechain
        if sidechain:
            return
        if uuid := usable_id(record.fields.get("uuid")):
            if uuid in self._records:  # a compaction wrote it again
                return
            self._records.add(uuid)
        self._inherited = self._is_inherited(record)
        self._unattended = is_unattended(record.fields)
        self._time = parse_instant(record.fields.get("timestamp"))
        match record.kind:
            case "user":
                yield from self._user(record)
            case "assistant":
                yield from self._assistant(record)
            case "attachment":
                yield from self._attachment(record)
            case "queue-operation":
                yield from self._queue_operation(record)

    def unanswered(self) -> Iterator[Turn]:
        """The uses of tools that were never answered, in order."""
        for id_, asked in self._asked.items():
            self._inherited, self._time = asked.inherited, asked.time
            yield from self._turn(f"{id_}~", Role.TOOL, "", asked.tool)

    def close(self) -> None:
        """Completes the report."""
        if self._parents:
            self._report.inherited_from = min(self._parents, key=lambda parent: (-self._parents[parent], parent))
        for leaf, title in self._summaries.items():
            if leaf in self._records:  # else it is of the session that this one went on from
                self._titles["summary"] = title
        self._report.title = next((self._titles[kind] for kind in reversed(_TITLES) if kind in self._titles), "")
        if self._user_turns == 0 and (warning := self._nobody_spoke()):
            self._report.warnings.append(warning)

    def _note(self, record: Record) -> None:
        kind = record.kind
        if not kind:
            self._report.skipped_lines += 1
            return
        label = kind
        if kind not in KNOWN_TYPES:
            unknown = self._report.unknown_types
            label = clean_text(kind[:80])
            if label not in unknown and len(unknown) >= _MOST_UNKNOWN_TYPES:
                label = "(others)"
            unknown[label] += 1
        self._types[label] += 1
        title = record.fields.get(_TITLES[kind]) if kind in _TITLES else None
        if isinstance(title, str) and title.strip():
            title = " ".join(clean_text(title).split())[:_LONGEST_TITLE]
            if kind == "summary":
                self._summaries[usable_id(record.fields.get("leafUuid"))] = title
            else:
                self._titles[kind] = title

    def _is_inherited(self, record: Record) -> bool:
        parent = forked_from(record.fields, self._session_id)
        id_ = record_id(record) if self._elders else ""
        if not parent and not any(elder.owns(id_) for elder in self._elders):
            return False
        self._parents.update({parent, *(elder.session_id for elder in self._elders if elder.holds(id_))} - {""})
        return True

    def _user(self, record: Record) -> Iterator[Turn]:
        message = record.fields.get("message")
        if not isinstance(message, dict):
            return
        content = message.get("content")
        for place, block in enumerate(blocks_of(content)):
            if isinstance(block, dict) and block.get("type") == "tool_result":
                yield from self._answer(record, place, block)
        if is_the_person(record.fields):
            yield from self._turn(_id(record), Role.USER, persons_words(content))

    def _answer(self, record: Record, place: int, block: dict[str, object]) -> Iterator[Turn]:
        id_ = usable_id(block.get("tool_use_id")) or f"{_id(record)}:{place}"
        asked = self._asked.pop(id_, None)
        tool = asked.tool if asked else tool_activity(None, None)
        text, reason = result_text(block.get("content")), ""
        if block.get("is_error") is True:
            tool = replace(tool, error=True)
            if record.fields.get("toolDenialKind", "user-rejected") == "user-rejected":
                text, reason = split_rejection(text)
        yield from self._turn(id_, Role.TOOL, bounded(text, self._tool_text_limit), tool)
        yield from self._turn(f"{id_}:reason", Role.USER, reason)

    def _assistant(self, record: Record) -> Iterator[Turn]:
        message = record.fields.get("message")
        if not isinstance(message, dict):
            return
        if message.get("model") == "<synthetic>" or record.fields.get("isApiErrorMessage") is True:
            return
        content = message.get("content")
        yield from self._turn(_id(record), Role.ASSISTANT, agents_words(content))
        for place, block in enumerate(blocks_of(content)):
            if isinstance(block, dict) and block.get("type") == "tool_use":
                id_ = usable_id(block.get("id")) or f"{_id(record)}:{place}"
                if id_ not in self._turns:
                    tool = tool_activity(block.get("name"), block.get("input"))
                    self._asked.setdefault(id_, _Asked(tool, self._time, self._inherited))

    def _attachment(self, record: Record) -> Iterator[Turn]:
        attached = record.fields.get("attachment")
        if not isinstance(attached, dict) or attached.get("type") != "queued_command":
            return
        words = persons_words(attached.get("prompt"))
        if words in self._removed:
            self._removed.remove(words)
            return
        if words:
            self._queued.append(words)
        typed = attached.get("commandMode", "prompt") == "prompt"
        if typed and is_the_person(record.fields) and is_the_person(attached):
            self._removed.clear()  # only the next command can repeat what was removed
            yield from self._turn(_id(record), Role.USER, words)

    def _queue_operation(self, record: Record) -> Iterator[Turn]:
        operation, words = record.fields.get("operation"), persons_words(record.fields.get("content"))
        if operation == "enqueue":  # said anew: what comes next repeats nothing that was said before
            for past in (self._removed, self._queued):
                if words in past:
                    past.remove(words)
        elif operation == "remove" and words:
            if words in self._queued:
                self._queued.remove(words)
                return
            self._removed.append(words)
            yield from self._turn(record_id(record) or _id(record), Role.USER, words)

    def _turn(self, id_: str, role: Role, text: str, tool: ToolActivity | None = None) -> Iterator[Turn]:
        """One turn, unless nothing was said or its id has been given before."""
        if (not text and tool is None) or id_ in self._turns:
            return
        self._turns.add(id_)
        if self._inherited:
            self._report.inherited.add(id_)
        self._user_turns += role is Role.USER
        unattended = role is Role.USER and self._unattended
        yield Turn(id=id_, role=role, text=text, time=self._time, tool=tool, unattended=unattended)

    def _nobody_spoke(self) -> str:
        if self._of_subagent or (self._sidechain_records and not self._own_records):
            return f"{self._name} is the conversation of a subagent, not of a person"
        if self._report.size <= _SIZEABLE:
            return ""
        seen = ", ".join(f"{count} {kind}" for kind, count in self._types.most_common(8)) or "no records at all"
        return (
            f"{self._name} has {self._report.size} bytes and not one word of a person; seen: {seen}. "
            "If somebody did speak in it, the format may have changed"
        )


def _id(record: Record) -> str:
    return usable_id(record.fields.get("uuid")) or f"@{record.offset}"
