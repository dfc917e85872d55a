"""What the tests of the fold say of a few entities, day by day, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Claim, EntityKept, Event, Named, PolicySet, Verdict
from recall_plugin.domain.journal.fold import Ledger, Numbered
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey

API = Named("api", "api", EntityType.SERVICE)
OLD_PORT = Named("22", "port 22", EntityType.CONCEPT)
NEW_PORT = Named("49222", "port 49222", EntityType.CONCEPT)
LISTENS = RelationKey("api", "LISTENS_ON", "22")
LISTENS_NOW = RelationKey("api", "LISTENS_ON", "49222")
KNOWN = tuple(EntityKept(one.key, one.name, one.type, "person") for one in (API, OLD_PORT, NEW_PORT))
BY_SESSION = PolicySet(self_origin="session")


def day(number: float) -> datetime:
    """An instant so many days after the first of September."""
    return datetime(2026, 9, 1, tzinfo=UTC) + timedelta(days=number)


def said(
    origin: str = "doc",
    provenance: Provenance = Provenance.EXTERNAL,
    *,
    on: float = 0,
    target: Named = OLD_PORT,
    denied: bool = False,
    context: ExtractionContext = ExtractionContext.INFERRED,
    description: str = "",
    project: str = "",
    replaces: RelationKey | None = None,
) -> Claim:
    """Somebody said, so many days after the first of September, on which port the api listens, or does not."""
    return Claim(
        API,
        "LISTENS_ON",
        target,
        Stance.CONTRADICTS if denied else Stance.SUPPORTS,
        context,
        provenance,
        origin,
        day(on),
        "person",
        description=description,
        project=project,
        replaces=replaces,
    )


def judged(verdict: str, on: float = 0) -> Verdict:
    """A person's verdict about the old port."""
    return Verdict(LISTENS, verdict, day(on), "person")


def apply_all(ledger: Ledger, events: Iterable[Event], first: int = 1) -> Ledger:
    """The ledger, to which the events were applied, an hour after one another."""
    for number, event in enumerate(events, first):
        ledger.apply(Numbered(number, day(number / 24), event))
    return ledger


def folded(*events: Event, policy: PolicySet | None = None) -> Ledger:
    """What the events come to after the entities are known, which are not among the changes any more."""
    ledger = apply_all(Ledger(policy or PolicySet()), KNOWN)
    ledger.changed.entities.clear()
    return apply_all(ledger, events, len(KNOWN) + 1)


def believed(*events: Event, policy: PolicySet | None = None) -> Relation:
    """What the events come to about the old port."""
    return folded(*events, policy=policy).relations[LISTENS]


def snapshot(ledger: Ledger) -> Ledger:
    """The ledger as it is now: its values are never changed, its tables are."""
    return replace(
        ledger,
        entities=dict(ledger.entities),
        relations=dict(ledger.relations),
        tallies=dict(ledger.tallies),
        episodes=dict(ledger.episodes),
        claims=list(ledger.claims),
        changed=replace(
            ledger.changed,
            entities=set(ledger.changed.entities),
            relations=set(ledger.changed.relations),
            tallies=set(ledger.changed.tallies),
            episodes=set(ledger.changed.episodes),
        ),
    )
