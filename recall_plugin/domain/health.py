"""How the memory is: healthy, degraded with reasons, or down with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Healthy:
    """Everything works and nothing is lost or stuck."""


@dataclass(frozen=True, slots=True)
class Degraded:
    """Sessions are kept, but something wants mending. reasons: at least one; each names a thing and what to do."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Down:
    """Something that was asked for does not happen. reason: what, where, and what to do."""

    reason: str


Health: TypeAlias = Healthy | Degraded | Down


def combine(parts: list[Health]) -> Health:
    """The health of a whole: down when a part is down, degraded with every reason when one is degraded."""
    downs = [part.reason for part in parts if isinstance(part, Down)]
    reasons = tuple(dict.fromkeys(reason for part in parts if isinstance(part, Degraded) for reason in part.reasons))
    if downs:
        return Down("; ".join([*downs, *reasons]))
    return Degraded(reasons) if reasons else Healthy()


def to_json(health: Health) -> dict[str, object]:
    """`{"state": "healthy"}`, `{"state": "degraded", "reasons": […]}` or `{"state": "down", "reason": …}`."""
    if isinstance(health, Down):
        return {"state": "down", "reason": health.reason}
    if isinstance(health, Degraded):
        return {"state": "degraded", "reasons": list(health.reasons)}
    return {"state": "healthy"}
