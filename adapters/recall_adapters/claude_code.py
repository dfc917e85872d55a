"""Claude Code: `${CLAUDE_CONFIG_DIR:-~/.claude}/projects/<folder>/<session>.jsonl`, one file a session.

What a record is: `claude_records`; who speaks in it: `claude_speech`; tools: `claude_tools`; what turns that makes:
`claude_turns`; which of them were copied from another file: `claude_forks`.

Taken: what the person and the agent said, what tools were asked and what they answered. Never: thoughts, sidechains (a
subagent's conversation), progress, snapshots, hook output, what the program itself wrote. Kept: abandoned branches, for
they were said, and the order of the file, for times go backwards after a compaction.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from recall_adapters.claude_forks import find_elders, usable_id
from recall_adapters.claude_records import KNOWN_TYPES, flat_kind, read_records
from recall_adapters.claude_turns import Reading, is_subagents
from recall_plugin.domain.conversation import Session, Turn, clean_text
from recall_plugin.domain.defaults import TOOL_TEXT_CHARS
from recall_plugin.domain.transcript import ReadReport
from recall_plugin.errors import TranscriptError

AGENT = "claude-code"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_BUFFER = 1024 * 1024
_SNIFFED = 64 * 1024

# Other agents' records have such types too.
_TELLING_TYPES = KNOWN_TYPES - {"user", "assistant", "system", "progress", "summary", "mode", "tag", "ended"}
# The beginning of a message whose content is too long for a sniff.
_MESSAGE_BEGINS = re.compile(rb'"message"\s*:\s*\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|null)\s*,\s*){0,8}"content"\s*:')


def sniff(path: Path) -> bool:
    """Whether the file at `path` is a transcript of Claude Code, as far as its beginning tells.

    A file without one readable record is one if its name or its place says so: sessions begin empty, and files break.
    """
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_SNIFFED)
    except (OSError, ValueError):
        return False
    records = [record for record in read_records(io.BytesIO(head), whole=True) if record.kind]
    if any(_is_telling(record.kind, record.fields) for record in records):
        return True
    if _begins_a_record(head.rpartition(b"\n")[2]):
        return True
    named = _UUID.fullmatch(path.stem) is not None
    if records:  # all of them unknown: perhaps a version to come
        return named and any(
            record.fields.get("sessionId") == path.stem and isinstance(record.fields.get("type"), str)
            for record in records
        )
    return path.suffix == ".jsonl" and (named or "projects" in path.parts)


class ClaudeTranscript:
    """A transcript of Claude Code. Each reading streams it anew, holding one line at a time and the ids seen."""

    def __init__(self, path: Path, *, tool_text_limit: int = TOOL_TEXT_CHARS, settled: bool = True) -> None:
        """The transcript at `path`, not opened yet.

        tool_text_limit: characters of a tool's answer that are kept, at least 0.
        settled: whether nothing more is to come. If so, uses of tools that were never answered are turns too, at the
            end, under the use's id and a `~`; in a session that goes on they may still be answered and are left out.
        """
        if tool_text_limit < 0:
            raise ValueError("tool_text_limit is at least 0")
        self._path = path
        self._tool_text_limit = tool_text_limit
        self._settled = settled
        self._session: Session | None = None
        self._report = ReadReport()

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def session(self) -> Session:
        """The session that the file belongs to. Its name decides: one file may hold the ids of several sessions."""
        if self._session is None:
            self._session = self._find_session()
        return self._session

    @property
    def report(self) -> ReadReport:
        """Of the latest reading."""
        return self._report

    def turns(self) -> Iterator[Turn]:
        """Every turn in the order of the file. The id of one that a fork copied is in `report.inherited` before."""
        self._report = report = ReadReport()
        return self._read(report)

    def _read(self, report: ReadReport) -> Iterator[Turn]:
        try:
            with self._path.open("rb", buffering=_BUFFER) as file:
                report.size = file.seek(0, io.SEEK_END)
                file.seek(0)
                elders = [] if is_subagents(self._path) else find_elders(self._path)
                reading = Reading(self._path, self.session.id, elders, report, tool_text_limit=self._tool_text_limit)
                for record in read_records(file):
                    yield from reading.take(record)
                    del record  # it may have 30 MB, and so may the next, which is read now
        except OSError as error:
            raise TranscriptError(self._path, error.strerror or str(error)) from error
        if self._settled:
            yield from reading.unanswered()
        reading.close()

    def _find_session(self) -> Session:
        named = self._path.stem if _UUID.fullmatch(self._path.stem) else ""
        id_ = cwd = ""
        try:
            with self._path.open("rb") as file:
                for record in read_records(file, whole=True):
                    id_ = id_ or usable_id(record.fields.get("sessionId"))
                    cwd = cwd or _text(record.fields.get("cwd"))
                    if cwd and (named or id_):
                        break
        except OSError as error:
            raise TranscriptError(self._path, error.strerror or str(error)) from error
        return Session(id=named or id_ or clean_text(self._path.stem), agent=AGENT, cwd=cwd)


def _is_telling(kind: str, fields: dict[str, object]) -> bool:
    """Whether no other agent writes such a record."""
    if kind in ("user", "assistant"):
        message = fields.get("message")
        return isinstance(message, dict) and "content" in message
    return kind in _TELLING_TYPES or (kind == "summary" and "leafUuid" in fields)


def _begins_a_record(line: bytes) -> bool:
    """Whether an incomplete line is the beginning of a telling record."""
    if flat_kind(line) in _TELLING_TYPES:
        return True
    return line.startswith(b"{") and _MESSAGE_BEGINS.search(line) is not None


def _text(value: object) -> str:
    return clean_text(value).strip() if isinstance(value, str) else ""
