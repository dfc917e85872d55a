"""How a plugin fares, with its layers."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from pulse_hookspecs.types.base import NonEmpty, Text, Value


class Healthy(Value):
    """All is well. In JSON: `{"state": "healthy", "layers": [...]}`."""

    state: Literal["healthy"] = "healthy"
    layers: tuple[LayerHealth, ...] = ()


class Degraded(Value):
    """It works, but not all of it. In JSON: `{"state": "degraded", "reasons": ["..."], "layers": [...]}`.

    reasons: at least one; each names what is wrong, where, and what the person can do about it.
    """

    state: Literal["degraded"] = "degraded"
    reasons: Annotated[tuple[NonEmpty, ...], Field(min_length=1)]
    layers: tuple[LayerHealth, ...] = ()


class Down(Value):
    """It does not do its work. In JSON: `{"state": "down", "reason": "...", "layers": [...]}`.

    reason: what is wrong, where, and what the person can do about it.
    """

    state: Literal["down"] = "down"
    reason: NonEmpty
    layers: tuple[LayerHealth, ...] = ()


Health: TypeAlias = Annotated[Healthy | Degraded | Down, Field(discriminator="state")]
"""How a plugin fares, told apart by its class, and in JSON by `state`. Use `match`."""


class LayerHealth(Value):
    """How one layer of a plugin fares, so that a host can show each.

    name: what the plugin calls it ("archives", "MEMORY.md").
    detail: what the layer holds, in a few words ("214 sessions, newest 2 h ago"); empty where there is nothing to say.
    """

    name: NonEmpty
    health: Health
    detail: Text = ""


Healthy.model_rebuild()
Degraded.model_rebuild()
Down.model_rebuild()

HealthAdapter: TypeAdapter[Healthy | Degraded | Down] = TypeAdapter(Health)
"""Reads a health from JSON: `HealthAdapter.validate_json(text)`."""


def worst(*healths: Health, layers: tuple[LayerHealth, ...] = ()) -> Health:
    """One health as bad as the worst of `healths`, with every reason of all of them once, and with `layers`.

    The layers of the given healths are not taken over. Nothing at all is healthy.
    """
    down = [health.reason for health in healths if isinstance(health, Down)]
    degraded = [reason for health in healths if isinstance(health, Degraded) for reason in health.reasons]
    reasons = tuple(dict.fromkeys(down + degraded))
    if down:
        return Down(reason="; ".join(reasons), layers=layers)
    if degraded:
        return Degraded(reasons=reasons, layers=layers)
    return Healthy(layers=layers)
