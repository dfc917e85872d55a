"""What became of the messages that a memory was given."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pulse_hookspecs.types.base import Count, NonEmpty, Text, Value


class _Receipt(Value):
    """What became of the messages that a memory was given.

    session_id: the session they belong to.
    archive: the file (or other place) that was written; None where nothing had to be written, or nothing could be.
    number: the number by which the memory calls what it wrote, at least 1; None where it counts nothing.
    new_messages: how many of the messages were kept now; already_known: how many it had from an earlier call. Counted
        as the memory keeps them: a tool's use and its result, which are two messages, may count as one.
    reasons: why they were not kept. Given exactly when they were not.
    notes: what the person may want to know although all went well.
    """

    session_id: NonEmpty
    archive: Text | None = None
    number: Annotated[int, Field(ge=1)] | None = None
    new_messages: Count = 0
    already_known: Count = 0
    reasons: tuple[NonEmpty, ...] = ()
    notes: tuple[NonEmpty, ...] = ()


class ArchiveReceipt(_Receipt):
    """What archiving a session came to.

    archived: whether the memory now holds every message it was given, from this call or an earlier one.
    """

    archived: bool

    @model_validator(mode="after")
    def _reasons_exactly_when_not_archived(self) -> Self:
        _refuse_unexplained(self.archived, self.reasons, "archived")
        return self


class CheckpointReceipt(_Receipt):
    """What a checkpoint came to.

    saved: whether the memory now holds every message it was given, from this call or an earlier one.
    trigger: the trigger it was called with.
    """

    saved: bool
    trigger: NonEmpty

    @model_validator(mode="after")
    def _reasons_exactly_when_not_saved(self) -> Self:
        _refuse_unexplained(self.saved, self.reasons, "saved")
        return self


def _refuse_unexplained(done: bool, reasons: tuple[str, ...], word: str) -> None:
    if done and reasons:
        raise ValueError(f"`reasons` say why nothing was {word}; what else there is to say goes into `notes`")
    if not done and not reasons:
        raise ValueError(f"a receipt that says {word}=False says why in `reasons`")
