"""What every value has in common: it is frozen, knows its fields, and holds only text that can be written."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

_SURROGATE = re.compile("[\ud800-\udfff]")


class Value(BaseModel):
    """A frozen value that knows all its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _in_utc(instant: datetime) -> datetime:
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("the instant lies outside the years 1 to 9999 in UTC") from None


Instant: TypeAlias = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""An aware datetime in UTC. Another offset is converted; a datetime without one is refused: guessing it would lie."""


def mended(value: object) -> object:
    """`value` with U+FFFD in place of every lone surrogate in its text, however deep; nothing else is changed."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    if isinstance(value, list):
        return [mended(item) for item in value]
    return value


Text: TypeAlias = Annotated[str, BeforeValidator(mended)]
"""Text that can be written as UTF-8."""

NonEmpty: TypeAlias = Annotated[str, BeforeValidator(mended), Field(min_length=1)]
"""Text of at least one character."""

Count: TypeAlias = Annotated[int, Field(ge=0)]
"""A number of things, at least 0."""
