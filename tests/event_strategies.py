"""Hypothesis strategies for events of the journal: few keys, so that they meet, and texts from everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import (
    ArchiveNoted,
    Asserted,
    Claim,
    EntityKept,
    Named,
    Place,
    Printed,
    Retrieved,
    SessionNoted,
    Verdict,
    written,
)
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import RelationKey

LARGEST = 2**53 - 1
HOSTILE = [
    "",
    "\0",
    "a\0b",
    "🦜🇫🇷👩‍👩‍👧",
    "Zoë",
    "Zoe\u0308",
    "'; DELETE entity; --",
    "⟨x⟩`y`",
    "$meta",
    "entity:k1",
    "NONE",
    "1",
    " ",
    "\u2028\r\n\t",
    "\ufeff",
    "部署窗口是周二",
    "\U0010ffff",
]

texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
# Nothing makes keys such as these, but a journal can be written by anybody.
keys = st.sampled_from(["k1", "k2", "7", "⟨k⟩ `'\"", "'; DELETE entity; --", "0-0", "ключ"])
names = texts.filter(bool)
instants = st.one_of(
    st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)]),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 9)).map(lambda naive: naive.replace(tzinfo=UTC, fold=0)),
)
counts = st.one_of(st.integers(1, 4), st.just(LARGEST))
types = st.sampled_from([EntityType.TOOL, EntityType.DECISION])
relation_keys = st.builds(RelationKey, keys, st.sampled_from(["USES", "DEPENDS_ON"]), keys)
sides = st.builds(Named, keys, names, types)
entities = st.builds(
    EntityKept,
    keys,
    names,
    types,
    st.sampled_from(["person", "agent"]),
    aliases=st.lists(names, max_size=2).map(tuple),
    abstract=texts,
    overview=texts,
    content=texts,
    attributes=st.dictionaries(texts, texts, max_size=2),
    project=texts,
)
claims = st.builds(
    Claim,
    sides,
    st.sampled_from(["USES", "DEPENDS_ON"]),
    sides,
    st.sampled_from(Stance),
    st.sampled_from(ExtractionContext),
    st.sampled_from(Provenance),
    st.sampled_from(["hand", "self", "docs.example/a", "\0", "🦜"]),
    instants,
    st.just("person"),
    quote=texts,
    place=st.none() | st.builds(Place, counts, counts, st.just(0), st.integers(0, 9)),
    description=texts,
    project=texts,
    replaces=st.none() | relation_keys,
)
_episodes = st.tuples(st.integers(0, 2), st.integers(0, 2))
others = st.one_of(
    st.builds(Asserted, relation_keys, st.floats(0, 1), st.just("person")),
    st.builds(Verdict, relation_keys, st.sampled_from(sorted(Verdict.VERDICTS)), instants, st.just("person")),
    st.builds(SessionNoted, texts, st.just("archived"), archive=st.none() | st.integers(1, 4)),
    st.builds(SessionNoted, texts, st.just("failed"), reason=texts),
    st.builds(ArchiveNoted, st.integers(1, 5), st.sampled_from(["ingested", "failed"]), reason=texts),
    st.builds(
        Printed,
        texts,
        st.just("query"),
        st.lists(keys, max_size=3).map(tuple),
        episodes=st.lists(_episodes, max_size=2).map(tuple),
    ),
    st.builds(
        Retrieved,
        instants,
        st.dictionaries(keys, counts, max_size=2),
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), counts), max_size=2).map(tuple),
    ),
)
# The most of them can be applied: entities come first and often.
events = st.one_of(entities, claims, claims, others)
senseless = st.sampled_from(
    [{"kind": "claim", "v": 1, "source": 7}, {"kind": "entity", "v": 1}, {"kind": "print", "v": 1, "episodes": [[1]]}]
)
lines: st.SearchStrategy[Mapping[str, Any]] = st.one_of(events.map(written), events.map(written), senseless)
histories = st.tuples(
    st.lists(entities.map(written), min_size=2, max_size=5), st.lists(lines, min_size=1, max_size=25)
).map(lambda both: [*both[0], *both[1]])
