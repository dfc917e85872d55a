"""Relations: directed, typed, and believed as far as their evidence goes."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance

_TYPE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
LONGEST_TYPE = 64
USUAL_TYPES = ("USES", "BUILDS", "DEPENDS_ON", "WRITTEN_IN", "PREFERS", "INTERESTED_IN", "RELATES_TO")


def relation_type(text: str) -> str:
    """`text` as a relation's type: upper-case words joined by `_`. Raises ValueError for what is no such word."""
    name = re.sub(r"[\s\-_]+", "_", text.strip()).upper()
    if len(name) > LONGEST_TYPE or not _TYPE.fullmatch(name):
        raise ValueError(f"a relation's type is words such as USES or DEPENDS_ON, at most {LONGEST_TYPE} characters")
    return name


class RelationKey(NamedTuple):
    """What makes a relation the same: the keys of its ends, and its type."""

    source: str
    type: str
    target: str

    @property
    def id(self) -> str:
        """20 hexadecimal digits, the same wherever the memory is rebuilt."""
        return hashlib.sha256("\0".join(self).encode("utf-8", "replace")).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation, and what is known about how far it is to be believed.

    number: of the claim that made it. context: of that claim.
    valid_from, valid_until: when it began and ceased to hold; None: not known, still holds.
    last_reinforced: the time of the latest words of a new origin, not the agent's, that supported it.
    last_said: the time of the latest words that supported it.
    last_checked: when the person confirmed it. disputed_at: when the person said that it is wrong, until lifted.
    superseded_by: the relation that replaced it.
    origins, mentions: independent sources and single statements for it; against it: denials, denying_mentions.
    """

    key: RelationKey
    number: int
    evidence: Evidence
    context: ExtractionContext
    description: str = ""
    project: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    last_reinforced: datetime | None = None
    last_said: datetime | None = None
    last_checked: datetime | None = None
    disputed_at: datetime | None = None
    superseded_by: RelationKey | None = None
    origins: int = 0
    mentions: int = 0
    denials: int = 0
    denying_mentions: int = 0

    @property
    def authoritative(self) -> bool:
        """Whether nothing but a person's word or a document of record stands behind it: its mean is exactly 1."""
        return self.evidence.mean >= 1.0

    @property
    def last_confirmed(self) -> datetime | None:
        """When it was reinforced or checked last, but not before it began to hold: the time that decay counts from.

        None where nobody but its maker ever said so. Words of long ago that are learned late take nothing away.
        """
        confirmed = [at for at in (self.last_reinforced, self.last_checked) if at is not None]
        began = [self.valid_from] if self.valid_from is not None else []
        return max([*confirmed, *began]) if confirmed else None

    @property
    def disputed(self) -> bool:
        """Whether the person said that it is wrong, and has not lifted that."""
        return self.disputed_at is not None


class TallyKey(NamedTuple):
    """One origin's stance on one relation."""

    relation: RelationKey
    stance: Stance
    origin: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What one origin has said for, or against, one relation.

    provenance: the strongest class that it spoke in. counted: the weight that it added, at least 0.
    makes: whether its claim made the relation, which sets the prior and adds no weight.
    """

    key: TallyKey
    number: int
    provenance: Provenance
    counted: float
    makes: bool
    mentions: int
    first_at: datetime
    last_at: datetime
