"""The account of law 5, kept at the door and read without the store: what became of every session and archive.

Writing never waits for a lock: what cannot be appended at once waits in the journal's spool.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from recall_plugin.domain.conversation import clean_text
from recall_plugin.domain.journal.account import Account
from recall_plugin.domain.journal.events import (
    ArchiveNoted,
    Event,
    NewerEvent,
    Printed,
    SessionNoted,
    parse,
    written,
)
from recall_plugin.domain.journal.fields import InvalidEvent
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import Busy, JournalDamaged, RecallError
from recall_plugin.files.archiving import Outcome
from recall_plugin.files.graph_state import GraphState, read_state
from recall_plugin.files.journal.journal import Journal, JournalState
from recall_plugin.files.redaction import redact

_LONGEST_REASON = 500


def note_archived(layout: Layout, outcome: Outcome, source: str) -> str:
    """The account has the new archive; returns why it has not, or nothing.

    Where nothing was new, that is noted only if the session stands there as failed, which it is no longer.
    """
    if outcome.number is None and outcome.session_id not in known(layout).account.sessions:
        return ""
    return _note(
        layout,
        SessionNoted(
            outcome.session_id,
            "archived",
            archive=outcome.number,
            messages=outcome.messages,
            tools=outcome.tools,
            source=source,
        ),
    )


def note_failed(layout: Layout, session: str, source: str, reason: str) -> str:
    """The account has a session that was not archived; returns why it has not, or nothing.

    What names no session cannot be told to have been mended, so that only who called learns of it.
    """
    if not session:
        return ""
    told = redact(clean_text(reason))[:_LONGEST_REASON]
    return _note(layout, SessionNoted(redact(clean_text(session)), "failed", source=source, reason=told))


def note_print(layout: Layout, print_id: str, command: str) -> str:
    """The account has what was printed. Returns why it has not, or nothing."""
    return _note(layout, Printed(print_id, command))


def _note(layout: Layout, event: Event) -> str:
    journal = Journal(layout)
    try:
        journal.note([written(event)], now=datetime.now(UTC))
    except (RecallError, InvalidEvent, OSError) as error:
        return f"not in the account: {error}"
    return "; ".join(str(notice) for notice in journal.notices)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the graph without opening its store.

    graph: as its owner last told. account: that, and what the journal holds beyond it.
    behind: events that the store has not applied. problem: why the journal cannot be followed to its end, or empty.
    """

    graph: GraphState
    account: Account
    journal: JournalState | None
    behind: int
    problem: str


def known(layout: Layout) -> Known:
    """The account, by the owner's last word and the journal's rest. Never raises: what is wrong is part of it."""
    graph = read_state(layout)
    account, behind, problem = graph.account, 0, ""
    journal = Journal(layout)
    state: JournalState | None = None
    try:
        state = journal.state()
        problem = state.problem or journal.check(graph.checked, patience=0.0).problem
        if not problem and state.events < graph.applied:
            problem = (
                f"the journal holds {state.events} of {graph.applied} events that the graph knows: bring its files back"
                " from a backup, or accept the loss with `recall rebuild`"
            )
        for entry in journal.read(after=graph.applied, patience=0.0) if layout.journal.is_dir() else ():
            behind += 1
            try:
                event = parse(entry.kind, entry.v, entry.fields)
            except InvalidEvent:
                continue
            except NewerEvent as reason:
                problem = problem or f"event {entry.n} is {reason}: upgrade recall_plugin; nothing is recorded"
                continue
            if isinstance(event, SessionNoted | ArchiveNoted):
                account = account.noted(event, entry.at)
    except Busy:
        pass  # an append under way; what it adds is known the next time
    except JournalDamaged as damage:
        problem = str(damage)
    except RecallError as error:
        problem = problem or str(error)
    return Known(graph, account, state, behind, problem)
