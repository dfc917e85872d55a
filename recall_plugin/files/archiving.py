"""From a transcript to an archive: what is new of a session becomes a file, and the index and the window say so."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from recall_plugin.domain.conversation import Role, Session, Turn, clean_text, clip
from recall_plugin.domain.defaults import TOOL_INPUT_CHARS
from recall_plugin.domain.digesting.builder import DigestBuilder
from recall_plugin.domain.layout import LAST_NUMBER, Layout
from recall_plugin.domain.transcript import Transcript
from recall_plugin.errors import Busy, LayoutError, RecallError, WriteFailed
from recall_plugin.files import layers, lineage
from recall_plugin.files.archive_format import Head, new_mark, render_head, render_tail, render_turn
from recall_plugin.files.atomic import Staged, make_folder, staged
from recall_plugin.files.lineage import Known, Lineage, Source
from recall_plugin.files.policy import Policy
from recall_plugin.files.project import project_at

_MOST_ATTEMPTS = 20


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
    session = masked(transcript.session, policy)
    given = Source(session, transcript.turns, lambda turn: prepared(turn, policy))
    why = _Why(source, policy.redact(clean_text(trigger)), now)
    for _ in range(_MOST_ATTEMPTS):
        outcome = _attempt(layout, transcript, given, policy, why)
        if outcome is not None:
            return outcome
    raise Busy(layout.memory, 0.0, "other archivers of the same session")


def _attempt(layout: Layout, transcript: Transcript, given: Source, policy: Policy, why: _Why) -> Outcome | None:
    """None where another process archived the same session meanwhile, so that the lineage must be read again."""
    session = given.session
    found = lineage.find(layout, given)
    written = _Written(DigestBuilder())
    lineage.add_to_digest(layout, found.lineage, written.digest)
    mark = new_mark()
    own = found.lineage.own
    with staged(layout.conversations, destination=layout.conversation(found.lineage.latest + 1)) as body:
        for turn in _new_turns(given, found.known, written):
            written.count(turn)
            body.file.write(render_turn(mark, turn).encode("utf-8", "replace"))
        if written.turns == 0 or (not own and written.messages == 0):
            return Outcome(session.id, known=written.known)
        with contextlib.ExitStack() as held:
            notes = _lock(layout, policy, held)
            head = _head(transcript, session, written, mark, why)
            head = replace(head, continues=own[-1] if own else written.last_known_in)
            published = _publish(layout, given, found.lineage, head, written.turns, body)
            if published is None:
                return None
            notes = notes or _refresh(layout, policy.window)
    return Outcome(
        session.id,
        number=published.number,
        path=layout.conversation(published.number),
        continues=published.continues,
        messages=written.messages,
        tools=written.turns - written.messages,
        known=written.known,
        notes=notes,
    )


def masked(session: Session, policy: Policy) -> Session:
    """The session as it may be written. Two readings of one session give the same."""
    return replace(session, id=policy.redact(session.id), cwd=policy.redact(session.cwd))


def prepared(turn: Turn, policy: Policy) -> Turn:
    """The turn as it may be written: secrets masked, and then a tool's texts clipped, so that none is cut in two."""
    text = policy.redact(turn.text)
    if turn.tool is None:
        return replace(turn, text=text)
    asked = policy.redact(turn.tool.input)
    if len(asked) > TOOL_INPUT_CHARS:
        asked = f"{asked[:TOOL_INPUT_CHARS].rstrip()}…"
    tool = replace(
        turn.tool,
        name=policy.redact(turn.tool.name),
        input=asked,
        paths=tuple(policy.redact(path) for path in turn.tool.paths),
    )
    return replace(turn, text=clip(text, policy.tool_text_limit), tool=tool)


def _new_turns(given: Source, known: Known, written: _Written) -> Iterator[Turn]:
    fresh_places = _fresh_places(given, known)
    place = 0
    for turn in given.turns():
        if turn.id:
            number = known.archive_of(turn)
            is_new = number is None
            written.last_known_in = written.last_known_in if number is None else number
        else:
            is_new = fresh_places is None or place in fresh_places
            place += 1
        if is_new:
            yield given.prepare(turn)
        else:
            written.known += 1


def _fresh_places(given: Source, known: Known) -> set[int] | None:
    """The places of the turns without ids that are new; None where all of them are."""
    if not known.placed:
        return None
    keys = [lineage.place_key(given.prepare(turn)) for turn in given.turns() if not turn.id]
    return lineage.placed_anew(known.placed, keys)


def _head(transcript: Transcript, session: Session, written: _Written, mark: str, why: _Why) -> Head:
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
        continues=None,
        mark=mark,
        digest=written.digest.finish(),
    )


def _publish(layout: Layout, given: Source, found: Lineage, head: Head, count: int, body: Staged) -> Head | None:
    """The archive stands under the next free number; None where somebody has added to its lineage meanwhile.

    A number is taken only if it follows the latest one at a moment when the lineage was as it was found, so this is
    right without a lock, too.
    """
    while True:
        confirmed = lineage.confirm(layout, given, found)
        if confirmed is None:
            return None
        if confirmed.latest >= LAST_NUMBER:
            taken = layout.conversation(LAST_NUMBER)
            raise LayoutError(taken, "takes the last number there is", hint="move it away; it is none of recall's")
        numbered = replace(head, number=confirmed.latest + 1)
        path = layout.conversation(numbered.number)
        with staged(layout.conversations, destination=path) as whole:
            whole.file.write(render_head(numbered).encode("utf-8", "replace"))
            body.file.seek(0)
            shutil.copyfileobj(body.file, whole.file, 1 << 20)
            whole.file.write(render_tail(numbered, count).encode("utf-8", "replace"))
            if whole.claim(path):
                return numbered


def _lock(layout: Layout, policy: Policy, held: contextlib.ExitStack) -> tuple[str, ...]:
    """The layers are locked until `held` is closed; or a note that they are not, where the policy can do without."""
    try:
        held.enter_context(layers.locked(layout, policy.patience))
    except (Busy, WriteFailed) as error:
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
