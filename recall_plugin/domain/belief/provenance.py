"""Who authored an observation, and what that is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class ProvenanceWeights:
    """How much an observation of each class adds to the counts: 1.0 is one full observation, 0 none.

    Each weight is finite and at least 0; ValueError otherwise.
    """

    external: float = 1.0
    user: float = 0.8
    self_: float = 0.05

    def __post_init__(self) -> None:
        for provenance in Provenance:
            weight = self.of(provenance)
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f"the weight of {provenance} evidence is a number of 0 or more, not {weight}")

    @classmethod
    def uniform(cls, weight: float) -> ProvenanceWeights:
        """Every class weighs `weight`. With 1.0 provenance makes no difference and observations are merely counted."""
        return cls(weight, weight, weight)

    def of(self, provenance: Provenance) -> float:
        """The weight of an observation of that class."""
        match provenance:
            case Provenance.EXTERNAL:
                return self.external
            case Provenance.USER:
                return self.user
            case Provenance.SELF:
                return self.self_
