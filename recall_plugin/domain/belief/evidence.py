"""Evidence for and against a relation: two weighted counts, and what is computed from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from recall_plugin.domain.belief.beta_distribution import LARGEST_COUNT, SMALLEST_COUNT, equal_tailed
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights

PRIOR_CONCENTRATION = 10.0

_DEFAULT_WEIGHTS = ProvenanceWeights()


class ExtractionContext(StrEnum):
    """How a relation was established, from the surest to the least sure."""

    AUTHORITATIVE = "authoritative"
    EXPLICIT = "explicit"
    INFERRED = "inferred"
    SPECULATIVE = "speculative"

    @classmethod
    def of(cls, stored: object) -> ExtractionContext:
        """The context that a stored value names; INFERRED where it is absent or unknown."""
        return next((member for member in cls if member.value == stored), cls.INFERRED)

    @property
    def prior(self) -> float:
        """The mean that a relation of this context begins with, 0 to 1."""
        return _PRIORS[self]

    def at_most(self, other: ExtractionContext) -> ExtractionContext:
        """The less sure of the two."""
        return min(self, other, key=_PRIORS.__getitem__)


_PRIORS = {
    ExtractionContext.AUTHORITATIVE: 1.0,
    ExtractionContext.EXPLICIT: 0.9,
    ExtractionContext.INFERRED: 0.6,
    ExtractionContext.SPECULATIVE: 0.3,
}


class Stance(StrEnum):
    """Whether an observation speaks for a relation or against it."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a relation (alpha) and against it (beta), and how often the agent repeated it.

    alpha, beta: weighted counts, 0 to 1e15. A stored value that is no number, negative, NaN or infinite is corrupt and
        reads as 0, and so does one under 1e-300; a larger one reads as 1e15.
    self_reinforcements: how often the agent supported the relation itself, whatever that weighed; read by the same
        rule, in whole numbers.

    The counts are a Beta distribution's; https://en.wikipedia.org/wiki/Beta_distribution has the formulas.
    """

    alpha: float = 0.0
    beta: float = 0.0
    self_reinforcements: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", _count(self.alpha))
        object.__setattr__(self, "beta", _count(self.beta))
        object.__setattr__(self, "self_reinforcements", int(_count(self.self_reinforcements)))

    @classmethod
    def from_prior(cls, mean: object, concentration: float = PRIOR_CONCENTRATION) -> Evidence:
        """The evidence that a prior mean stands for, worth `concentration` observations.

        mean: held to 0 to 1; what is no finite number tells nothing and reads as 0.5. Such a prior still weighs
            `concentration`, so that a damaged record is not turned round by the next observation.
        """
        known = _prior_mean(mean)
        return cls(known * concentration, (1.0 - known) * concentration)

    @classmethod
    def from_denial(cls, mean: object, concentration: float = PRIOR_CONCENTRATION) -> Evidence:
        """The prior of a relation that is first heard of by being denied: its mean is min(mean, 1 - mean)."""
        known = _prior_mean(mean)
        return cls.from_prior(min(known, 1.0 - known), concentration)

    @classmethod
    def from_stored(cls, mean: object, alpha: object, beta: object, self_reinforcements: object = 0) -> Evidence:
        """The evidence of a stored record; where a count is absent (None) it is the mean at the prior concentration."""
        counted = alpha is not None and beta is not None
        evidence = cls(_count(alpha), _count(beta)) if counted else cls.from_prior(mean)
        return replace(evidence, self_reinforcements=int(_count(self_reinforcements)))

    def corroborate(self, weight: float) -> Evidence:
        """This and an observation for the relation. A negative, NaN or infinite weight records nothing."""
        return replace(self, alpha=self.alpha + _weight(weight))

    def contradict(self, weight: float) -> Evidence:
        """This and an observation against the relation. A negative, NaN or infinite weight records nothing."""
        return replace(self, beta=self.beta + _weight(weight))

    def mention(self, stance: Stance, provenance: Provenance) -> Evidence:
        """This after an origin that has been counted spoke again: no weight, but the agent's support is tallied."""
        if stance is Stance.SUPPORTS and provenance is Provenance.SELF:
            return replace(self, self_reinforcements=self.self_reinforcements + 1)
        return self

    def observe(
        self, stance: Stance, provenance: Provenance, weights: ProvenanceWeights = _DEFAULT_WEIGHTS
    ) -> Evidence:
        """This and an observation at the weight of its class; the agent's support is tallied, whatever its weight."""
        mentioned = self.mention(stance, provenance)
        weight = weights.of(provenance)
        return mentioned.corroborate(weight) if stance is Stance.SUPPORTS else mentioned.contradict(weight)

    @property
    def concentration(self) -> float:
        """How much evidence there is, in observations."""
        return self.alpha + self.beta

    @property
    def mean(self) -> float:
        """The posterior mean, 0 to 1; 0.5 where there is no evidence."""
        total = self.concentration
        return self.alpha / total if total else 0.5

    @property
    def variance(self) -> float:
        """The posterior variance, 0 to 0.25; 0 where there is no evidence, hence no distribution."""
        total = self.concentration
        return (self.alpha / total) * (self.beta / total) / (total + 1) if total else 0.0

    def interval(self, mass: float = 0.9) -> tuple[float, float]:
        """The credible interval (low, high) that holds `mass` of the posterior, with equal tails outside.

        Where one count is 0 it is one-sided and reaches 1 (Beta(a, 0): low is (1 - mass)^(1/a), the quantile of
        Beta(a, 1)) or 0; without evidence it is (0, 1). It holds the mean unless a count is so small (under about
        0.013) that nearly all of the posterior lies beyond it. mass: above 0 and below 1, else ValueError.
        """
        if not 0 < mass < 1:
            raise ValueError(f"the mass of an interval lies between 0 and 1, not at {mass}")
        if self.alpha and self.beta:
            return equal_tailed(mass, self.alpha, self.beta)
        if self.alpha:
            return (1.0 - mass) ** (1.0 / self.alpha), 1.0
        if self.beta:
            return 0.0, 1.0 - (1.0 - mass) ** (1.0 / self.beta)
        return 0.0, 1.0


def _number(value: object) -> float | None:
    """A finite number, else None. A truth value is none, and neither is an integer too large for a double."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _count(value: object) -> float:
    number = _number(value)
    return min(number, LARGEST_COUNT) if number is not None and number >= SMALLEST_COUNT else 0.0


def _prior_mean(value: object) -> float:
    number = _number(value)
    return 0.5 if number is None else min(max(number, 0.0), 1.0)


_weight = _count  # what makes a count void makes a weight void
