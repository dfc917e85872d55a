"""A session becomes an archive: from a file, from a hook's payload, or as a preview that writes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from recall_adapters import open_transcript
from recall_adapters.claude_hooks import HookPayload
from recall_plugin.domain.conversation import Role, Turn
from recall_plugin.domain.instants import format_instant
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import ReadReport, Transcript
from recall_plugin.errors import RecallError, TranscriptError
from recall_plugin.files import archiving
from recall_plugin.files.archive_transcript import ArchiveTranscript, looks_like_archive
from recall_plugin.files.archiving import Outcome
from recall_plugin.files.policy import Policy
from recall_plugin.memory import account
from recall_plugin.memory.policy import Settings

# A hook never waits for a lock (law 8); this is what a neighbour takes to finish its index.
_HOOK_PATIENCE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Archived:
    """What archiving a file came to, with an account of the reading."""

    outcome: Outcome
    report: ReadReport


def open_source(path: Path, policy: Policy, *, settled: bool = True) -> Transcript:
    """The transcript, or the conversation file, at `path`, to be archived by `policy`.

    settled: whether the session is over; of one that goes on, a tool still at work is left for the next time.
    Raises TranscriptError, LayoutError.
    """
    if looks_like_archive(path):
        return ArchiveTranscript(path)
    return open_transcript(path, settled=settled, tool_text_limit=_room(policy))


def _room(policy: Policy) -> int:
    """How much of a tool's output is read: so much more than is kept that a secret in what is kept is masked whole."""
    return max(1 << 16, 2 * policy.tool_text_limit)


def archive_file(layout: Layout, path: Path, known: Settings) -> Archived:
    """What is new of the session in a file is archived. Raises TranscriptError, LayoutError, WriteFailed, Busy."""
    return _archived(layout, open_source(path, known.policy), known.policy, "session")


def archive_given(
    layout: Layout, transcript: Transcript, known: Settings, *, source: str, trigger: str = ""
) -> Outcome:
    """What is new of a transcript at hand is archived, and the account has it, also where that failed.

    Raises as `archive_file`.
    """
    try:
        return _archived(layout, transcript, known.policy, source, trigger).outcome
    except RecallError as error:
        account.note_failed(layout, transcript.session.id, source, str(error))
        raise


def archive_hook(layout: Layout, payload: HookPayload, known: Settings, *, source: str, trigger: str = "") -> Archived:
    """A hook's session is archived, and the account has it, also where that failed.

    source, trigger: see `archiving.archive`. Raises the same as `archive_file`.
    """
    try:
        return _archive_hook(layout, payload, known, source, trigger)
    except RecallError as error:
        account.note_failed(layout, payload.session_id, source, str(error))
        raise


def _archive_hook(layout: Layout, payload: HookPayload, known: Settings, source: str, trigger: str) -> Archived:
    if payload.transcript_path is None:
        raise TranscriptError(
            Path("(none)"),
            f"the payload of {payload.event or 'this event'} names no transcript",
            hint="archive the session's file by hand with `recall archive FILE`",
        )
    transcript = open_source(payload.transcript_path, known.policy, settled=source == "session")
    policy = replace(known.policy, patience=_HOOK_PATIENCE_SECONDS, needs_lock=False)
    return _archived(layout, transcript, policy, source, trigger)


def _archived(layout: Layout, transcript: Transcript, policy: Policy, source: str, trigger: str = "") -> Archived:
    now = datetime.now(UTC)
    outcome = archiving.archive(layout, transcript, policy, source=source, now=now, trigger=trigger)
    if problem := account.note_archived(layout, outcome, source):
        outcome = replace(outcome, notes=(*outcome.notes, problem))
    return Archived(outcome, transcript.report)


@dataclass(frozen=True, slots=True)
class Preview:
    """What archiving a file would keep of its own turns; those that a fork copied from its parent stand apart."""

    transcript: Transcript
    turns: tuple[Turn, ...]
    inherited: tuple[Turn, ...]

    def to_json(self) -> dict[str, object]:
        """The documented shape of `recall archive --dry-run --json` (docs/commands.md)."""
        spoken = [turn.time for turn in self.turns if turn.role is not Role.TOOL and turn.time is not None]
        tools = [turn.tool for turn in self.turns if turn.tool is not None]
        report = self.transcript.report
        return {
            "session_id": self.transcript.session.id,
            "agent": self.transcript.session.agent,
            "cwd": self.transcript.session.cwd or None,
            "first_message_at": format_instant(min(spoken)) if spoken else None,
            "last_message_at": format_instant(max(spoken)) if spoken else None,
            "turns": [_turn_to_json(turn) for turn in self.turns],
            "inherited_turns": [_turn_to_json(turn) for turn in self.inherited],
            "inherited_from": report.inherited_from or None,
            "tools": dict(Counter(tool.name for tool in tools)),
            "files_touched": sorted({path for tool in tools if tool.writes and not tool.error for path in tool.paths}),
            "skipped_lines": report.skipped_lines,
            "unknown_types": dict(sorted(report.unknown_types.items())),
            "warnings": list(report.warnings),
        }


def preview(path: Path, policy: Policy) -> Preview:
    """What `archive_file` would keep, secrets masked. Nothing is written, no memory needed. Raises TranscriptError."""
    transcript = open_source(path, policy)
    own: list[Turn] = []
    inherited: list[Turn] = []
    for turn in transcript.turns():
        kept = archiving.prepared(turn, policy)
        (inherited if turn.id in transcript.report.inherited else own).append(kept)
    return Preview(transcript, tuple(own), tuple(inherited))


def _turn_to_json(turn: Turn) -> dict[str, object]:
    value: dict[str, object] = {
        "role": turn.role.value,
        "text": turn.text,
        "timestamp": format_instant(turn.time) if turn.time else None,
        "id": turn.id or None,
    }
    if turn.tool is not None:
        value["tool"] = {"name": turn.tool.name, "paths": list(turn.tool.paths), "error": turn.tool.error}
    return value
