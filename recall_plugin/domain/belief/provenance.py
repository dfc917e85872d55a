"""Who authored an observation, and what that is worth."""

from __future__ import annotations

from enum import StrEnum


class Provenance(StrEnum):
    """The class of an author: a source independent of the agent, the person, or the agent itself."""

    EXTERNAL = "external"
    USER = "user"
    SELF = "self"

    @classmethod
    def of(cls, stored: object) -> Provenance:
        """The class that a stored value names; what is absent or unknown is the agent's (the conservative reading)."""
        return next((member for member in cls if member.value == stored), cls.SELF)
