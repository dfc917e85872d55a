"""Who acts. Only the command line finds it out; everything further in is told (law 11)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from recall_plugin.errors import RecallError


class ActorKind(StrEnum):
    """A person, whose word has authority, or the agent, whose word is its own."""

    PERSON = "person"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever asked for something.

    why: what it was taken for a person or for the agent by, as a clause that a message can go on with, such as
        "CLAUDECODE is set".
    """

    kind: ActorKind
    why: str

    @property
    def is_person(self) -> bool:
        """Whether user authority may be used."""
        return self.kind is ActorKind.PERSON

    def demand_person(self, deed: str, *, otherwise: str = "") -> None:
        """It is a person who does `deed`, a noun such as "changing a weight". Raises RecallError for the agent.

        otherwise: a second way, for the hint, such as "edit FILE".
        """
        if not self.is_person:
            second_way = f", or {otherwise}" if otherwise else ""
            raise RecallError(
                f"{deed} takes a person, and this call counts as the agent's: {self.why}",
                hint=f"run the command yourself in a terminal{second_way}",
            )
