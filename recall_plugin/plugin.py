"""The Memory role of a pulse host: contract value in, contract value out."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import structlog

from pulse_hookspecs import (
    ArchiveReceipt,
    CheckpointReceipt,
    Degraded,
    Down,
    Health,
    Healthy,
    LayerHealth,
    Message,
    PluginMeta,
    Role,
    SessionMeta,
    SetupPrompt,
    StartContext,
    TranscriptReading,
    hookimpl,
)
from recall_plugin import __version__
from recall_plugin.domain import health as states
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.errors import RecallError, UnknownFormat
from recall_plugin.files.archiving import Outcome
from recall_plugin.files.print_key import print_key
from recall_plugin.memory import account, archive, session_start, setup, status
from recall_plugin.memory.graph.background import BackgroundIngest
from recall_plugin.memory.policy import settings
from recall_plugin.messages import conversation_of, messages_of, session_meta

# A host gives `stop` ten seconds.
_STOP_PATIENCE_SECONDS = 8.0
# Through the host's own logging: what structlog does by itself is to print on the host's stdout.
_log = structlog.wrap_logger(logging.getLogger("recall"), processors=[structlog.stdlib.render_to_log_kwargs])


class RecallPlugin:
    """recall as a plugin. Between `start` and `stop` it works on one pulse root; only the thread that ingests
    opens the store, while it works."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._ingest: BackgroundIngest | None = None

    @hookimpl
    def plugin_meta(self) -> PluginMeta:
        return PluginMeta(
            name="recall",
            version=__version__,
            role=Role.MEMORY,
            description="Keeps every session as readable memory, and knows where it comes from.",
        )

    @hookimpl
    def setup_prompts(self) -> tuple[SetupPrompt, ...]:
        return (SetupPrompt(key="pulse_root", question="Where should this agent's memory live?", kind="path"),)

    @hookimpl
    def start(self, context: StartContext) -> None:
        made = setup.make_memory(context.pulse_root)
        self._layout = made.layout
        if made.repaired:
            _log.warning("repaired", files=made.repaired)

    @hookimpl
    def stop(self) -> None:
        ingest, self._ingest, self._layout = self._ingest, None, None
        if ingest is not None and not ingest.end(_STOP_PATIENCE_SECONDS):
            _log.warning("stopped before every archive was ingested; the rest waits for the next time")

    @hookimpl
    def session_context(self, session: SessionMeta) -> str:
        fenced = session_start.session_context(self._started, print_key(os.environ))
        if problem := account.note_print(self._started, fenced.id, "session_context"):
            _log.warning("print not recorded", reason=problem)
        return fenced.text

    @hookimpl
    def archive_session(self, session: SessionMeta, messages: tuple[Message, ...]) -> ArchiveReceipt:
        try:
            outcome = self._archive(session, messages, source="session")
        except RecallError as error:
            return ArchiveReceipt(session_id=session.session_id, archived=False, reasons=(str(error),))
        return ArchiveReceipt(archived=True, **_receipt(outcome))

    @hookimpl
    def create_checkpoint(self, session: SessionMeta, messages: tuple[Message, ...], trigger: str) -> CheckpointReceipt:
        try:
            outcome = self._archive(session, messages, source="checkpoint", trigger=trigger)
        except RecallError as error:
            return CheckpointReceipt(session_id=session.session_id, saved=False, trigger=trigger, reasons=(str(error),))
        return CheckpointReceipt(saved=True, trigger=trigger, **_receipt(outcome))

    @hookimpl
    def read_transcript(self, path: Path) -> TranscriptReading | None:
        try:
            transcript = archive.open_source(path, settings(self._started).policy)
        except UnknownFormat:
            return None
        return TranscriptReading(session=session_meta(transcript.session), messages=messages_of(transcript.turns()))

    @hookimpl
    def health(self) -> Health:
        found = status.status(self._started)
        layers = tuple(
            LayerHealth(name=layer.name, health=_health(layer.health), detail=layer.detail) for layer in found.layers
        )
        return _health(found.health, layers)

    @property
    def _started(self) -> Layout:
        if self._layout is None:
            raise RuntimeError("recall was not started")
        return self._layout

    def _archive(
        self, session: SessionMeta, messages: tuple[Message, ...], *, source: str, trigger: str = ""
    ) -> Outcome:
        layout = self._started
        transcript = GivenTranscript(conversation_of(session, messages))
        outcome = archive.archive_given(layout, transcript, settings(layout), source=source, trigger=trigger)
        if outcome.number is not None:
            self._wake()
        _log.info(source, session=outcome.session_id, archive=outcome.number, messages=outcome.messages)
        return outcome

    def _wake(self) -> None:
        """Episodes are made of what waits, behind the host's back."""
        if self._ingest is None:
            self._ingest = BackgroundIngest(self._started)
        self._ingest.wake()


def _receipt(outcome: Outcome) -> dict[str, object]:
    return {
        "session_id": outcome.session_id,
        "archive": str(outcome.path) if outcome.path else None,
        "number": outcome.number,
        "new_messages": outcome.messages + outcome.tools,
        "already_known": outcome.known,
        "notes": outcome.notes,
    }


def _health(health: states.Health, layers: tuple[LayerHealth, ...] = ()) -> Health:
    if isinstance(health, states.Down):
        return Down(reason=health.reason, layers=layers)
    if isinstance(health, states.Degraded):
        return Degraded(reasons=health.reasons, layers=layers)
    return Healthy(layers=layers)
