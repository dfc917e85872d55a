"""From a transcript to an archive: what is new of a session becomes a file, and the index and the window say so."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from recall_plugin.domain.conversation import Role, Turn, clean_text, clip
from recall_plugin.domain.defaults import TOOL_INPUT_CHARS
from recall_plugin.domain.digesting.builder import DigestBuilder
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import Transcript
from recall_plugin.errors import Busy, RecallError
from recall_plugin.files import conversations, layers, lineage
from recall_plugin.files.archive_format import Head, new_mark, render_head, render_tail, render_turn
from recall_plugin.files.atomic import Staged, make_folder, staged
from recall_plugin.files.lineage import Known, Lineage
from recall_plugin.files.policy import Policy
from recall_plugin.files.project import project_at

_MOST_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What archiving came to.

    number, path: of the new archive; None where nothing was new, and nothing was written.
    messages: new turns of the person and of the agent; tools: new uses of tools; known: turns that were archived
    before.
    notes: what the person should know although the archive stands: each names a thing and what to do.
    """

    session_id: str
    number: int | None = None
    path: Path | None = None
    continues: int | None = None
    messages: int = 0
    tools: int = 0
    known: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Why:
    """The occasion of an archive."""

    source: str
    trigger: str
    now: datetime


@dataclass(slots=True)
class _Written:
    """The body of an archive that is being written, and what is counted on the way."""

    digest: DigestBuilder
    turns: int = 0
    messages: int = 0
    known: int = 0
    last_known_in: int | None = None
    first_at: datetime | None = None
    last_at: datetime | None = None

    def count(self, turn: Turn) -> None:
        self.digest.add(turn)
        self.turns += 1
        self.messages += turn.role is not Role.TOOL
        if turn.time is not None:
            self.first_at = min(self.first_at or turn.time, turn.time)
            self.last_at = max(self.last_at or turn.time, turn.time)


def archive(
    layout: Layout, transcript: Transcript, policy: Policy, *, source: str, now: datetime, trigger: str = ""
) -> Outcome:
    """What is new of the transcript's session stands in a conversation file of its own, durable on the disk.

    source: "session" or "checkpoint"; trigger: why a checkpoint was made.
    now: an aware datetime, the archive's date where no turn has a time.
    Running it again writes nothing. ARCHIVE.md and EPHEMERAL.md follow; where that fails the archive stands all the
    same, and a note says so. Raises WriteFailed, LayoutError, Busy, and whatever the transcript raises; then nothing
    was written.
    """
    make_folder(layout.conversations)
    why = _Why(source, clean_text(trigger), now)
    for _ in range(_MOST_ATTEMPTS):
        found = lineage.find(layout, transcript)
        outcome = _attempt(layout, transcript, policy, found, why)
        if outcome is not None:
            return outcome
    raise Busy(layout.memory, 0.0, "other archivers of the same session")


def _attempt(layout: Layout, transcript: Transcript, policy: Policy, found: Lineage, why: _Why) -> Outcome | None:
    """None where another process archived the same session meanwhile, so that the lineage must be read again."""
    written = _Written(DigestBuilder())
    known = lineage.load(layout, found, written.digest)
    mark = new_mark()
    session_id = transcript.session.id
    with staged(layout.conversations, destination=layout.conversations) as body:
        for turn in _new_turns(transcript, known, policy, written):
            written.count(turn)
            body.file.write(render_turn(mark, turn).encode("utf-8", "replace"))
        if written.turns == 0 or (not found.own and written.messages == 0):
            return Outcome(session_id, known=written.known)
        with contextlib.ExitStack() as held:
            notes = _lock(layout, policy, held)
            if not found.holds_now(layout, transcript):
                return None
            head = _head(transcript, found, written, mark, why)
            head = _publish(layout, head, written.turns, body)
            notes = notes or _refresh(layout, policy.window)
    return Outcome(
        session_id,
        number=head.number,
        path=layout.conversation(head.number),
        continues=head.continues,
        messages=written.messages,
        tools=written.turns - written.messages,
        known=written.known,
        notes=notes,
    )


def prepared(turn: Turn, policy: Policy) -> Turn:
    """The turn as it may be written: secrets masked, and then a tool's texts clipped, so that none is cut in two."""
    text = policy.redact(turn.text)
    if turn.tool is None:
        return replace(turn, text=text)
    asked = policy.redact(turn.tool.input)
    if len(asked) > TOOL_INPUT_CHARS:
        asked = f"{asked[:TOOL_INPUT_CHARS].rstrip()}…"
    tool = replace(turn.tool, input=asked, paths=tuple(policy.redact(path) for path in turn.tool.paths))
    return replace(turn, text=clip(text, policy.tool_text_limit), tool=tool)


def _new_turns(transcript: Transcript, known: Known, policy: Policy, written: _Written) -> Iterator[Turn]:
    fresh_places = _fresh_places(transcript, known, policy)
    place = 0
    for turn in transcript.turns():
        if turn.id:
            is_new = not known.holds(turn.id)
        else:
            is_new = fresh_places is None or place in fresh_places
            place += 1
        if is_new:
            yield prepared(turn, policy)
        else:
            written.known += 1
            written.last_known_in = known.archive_of.get(turn.id, written.last_known_in)


def _fresh_places(transcript: Transcript, known: Known, policy: Policy) -> set[int] | None:
    """The places of the turns without ids that are new; None where all of them are."""
    if not known.placed:
        return None
    given = [lineage.place_key(prepared(turn, policy)) for turn in transcript.turns() if not turn.id]
    return lineage.placed_anew(known.placed, given)


def _head(transcript: Transcript, found: Lineage, written: _Written, mark: str, why: _Why) -> Head:
    session = transcript.session
    seconds = (written.last_at - written.first_at).total_seconds() if written.first_at and written.last_at else 0.0
    return Head(
        number=0,
        date=written.first_at or transcript.report.started_at or why.now,
        session=session,
        messages=written.messages,
        seconds=seconds,
        source=why.source,
        trigger=why.trigger,
        project=project_at(session.cwd),
        continues=found.own[-1] if found.own else written.last_known_in,
        mark=mark,
        digest=written.digest.finish(),
    )


def _publish(layout: Layout, head: Head, turns: int, body: Staged) -> Head:
    """The archive stands under the next free number; the head with that number."""
    present = conversations.numbers(layout)
    number = present[-1] + 1 if present else 1
    while True:
        numbered = replace(head, number=number)
        with staged(layout.conversations, destination=layout.conversation(number)) as whole:
            whole.file.write(render_head(numbered).encode("utf-8", "replace"))
            body.file.seek(0)
            shutil.copyfileobj(body.file, whole.file, 1 << 20)
            whole.file.write(render_tail(numbered, turns).encode("utf-8", "replace"))
            if whole.claim(layout.conversation(number)):
                return numbered
        number += 1


def _lock(layout: Layout, policy: Policy, held: contextlib.ExitStack) -> tuple[str, ...]:
    """The layers are locked until `held` is closed; or a note that they are not, where the policy can do without."""
    try:
        held.enter_context(layers.locked(layout, policy.patience))
    except Busy as error:
        if policy.needs_lock:
            raise
        return (f"{error.message}; the conversation is archived, and its index follows at the next start",)
    return ()


def _refresh(layout: Layout, window: int) -> tuple[str, ...]:
    try:
        layers.refresh(layout, window)
    except RecallError as error:
        return (f"the conversation is archived, but its index is not yet: {error}; it is repaired at the next start",)
    return ()
