"""What is saved is loaded the same, whatever it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from event_strategies import LARGEST, instants, keys, names, texts
from graph_memory import NOW
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.beta_distribution import LARGEST_COUNT
from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Claim, Named, Place
from recall_plugin.domain.journal.fold import Ledger, Numbered, Touched
from recall_plugin.domain.knowledge.entity import Accesses, Entity, EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey, Tally, TallyKey
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.graph.store.store import Store

counts_of_turns = st.integers(1, LARGEST)
moments = st.none() | instants
counts = st.sampled_from([0, 1, LARGEST, 2**63 - 1])
weights = st.sampled_from([0.0, 1e-300, 0.1 + 0.2, LARGEST_COUNT]) | st.floats(0, 1e15)
accesses = st.builds(Accesses, counts, moments)
entities = st.builds(
    Entity,
    keys,
    names,
    st.sampled_from(EntityType),
    st.integers(1, LARGEST),
    instants,
    instants,
    aliases=st.lists(names, max_size=3).map(tuple),
    abstract=texts,
    overview=texts,
    content=texts,
    attributes=st.dictionaries(texts, texts, max_size=3),
    project=texts,
    accesses=accesses,
    utility=st.floats(0, 1),
)
relation_keys = st.builds(RelationKey, keys, st.just("USES"), keys)
relations = st.builds(
    Relation,
    relation_keys,
    st.integers(1, LARGEST),
    st.builds(Evidence, weights, weights, st.integers(0, LARGEST)),
    st.sampled_from(ExtractionContext),
    texts,
    texts,
    *[moments] * 6,
    st.none() | relation_keys,
    *[counts] * 4,
)


def ledger_of(
    entities: Sequence[Entity] = (), relations: Sequence[Relation] = (), tallies: Sequence[Tally] = ()
) -> Ledger:
    """A ledger in which these are new."""
    ledger = Ledger()
    ledger.entities = {one.key: one for one in entities}
    ledger.relations = {one.key: one for one in relations}
    ledger.tallies = {one.key: one for one in tallies}
    ledger.changed = Touched(set(ledger.entities), set(ledger.relations), set(ledger.tallies))
    return ledger


async def kept(store: Store, ledger: Ledger) -> Ledger:
    """What the store holds of all that was just saved into it, whether it was there before or not."""
    before = await store.load(ledger.changed)
    await store.save(ledger, before, store.meta.applied + 1)
    return await store.load(ledger.changed)


@given(st.lists(entities, min_size=1, max_size=4))
def test_an_entity_is_loaded_as_it_was_saved_over_whatever_stood_there(
    runner: asyncio.Runner, store: Store, given_entities: list[Entity]
) -> None:
    ledger = ledger_of(given_entities)

    found = runner.run(kept(store, ledger))

    assert found.entities == ledger.entities


@given(st.lists(relations, min_size=1, max_size=4))
def test_a_relation_is_loaded_as_it_was_saved_to_the_last_bit(
    runner: asyncio.Runner, store: Store, given_relations: list[Relation]
) -> None:
    ends = {key for one in given_relations for key in (one.key.source, one.key.target)}
    ledger = ledger_of([Entity(key, key, EntityType.TOOL, 1, NOW, NOW) for key in ends], given_relations)

    found = runner.run(kept(store, ledger))

    assert found.relations == ledger.relations
    assert {repr(one.evidence) for one in found.relations.values()} == {
        repr(one.evidence) for one in ledger.relations.values()
    }


@given(st.data())
def test_a_tally_is_known_by_its_relation_stance_and_origin_whatever_the_origin_is_called(
    runner: asyncio.Runner, store: Store, data: st.DataObject
) -> None:
    tallies = data.draw(
        st.lists(
            st.builds(
                Tally,
                st.builds(TallyKey, relation_keys, st.sampled_from(Stance), names),
                st.integers(1, LARGEST),
                st.sampled_from(Provenance),
                weights,
                st.booleans(),
                counts,
                instants,
                instants,
            ),
            max_size=4,
        )
    )
    ledger = ledger_of(tallies=tallies)

    found = runner.run(kept(store, ledger))

    assert found.tallies == ledger.tallies


def test_texts_of_five_megabytes_are_kept_whole(runner: asyncio.Runner, store: Store) -> None:
    text = "🦜\0'\n" * 1_000_000
    ledger = ledger_of([Entity("long", "long", EntityType.TOOL, 1, NOW, NOW, content=text, attributes={"a": text})])

    found = runner.run(kept(store, ledger))

    assert found.entities["long"].content == text
    assert found.entities["long"].attributes == {"a": text}


@given(st.lists(st.tuples(texts, texts, st.none() | st.builds(Place, counts_of_turns, counts_of_turns)), max_size=3))
def test_what_was_said_of_a_relation_is_told_with_its_source_the_latest_words_first(
    runner: asyncio.Runner, store: Store, said: list[tuple[str, str, Place | None]]
) -> None:
    number = store.meta.applied
    key = RelationKey("a", "USES", f"b{number}")
    ends = Named(key.source, "a", EntityType.TOOL), Named(key.target, "b", EntityType.TOOL)
    ledger = ledger_of(
        [Entity(end.key, end.name, end.type, 1, NOW, NOW) for end in ends],
        [Relation(key, 1, Evidence(1.0, 0.0), ExtractionContext.INFERRED)],
    )
    for place, (origin, quote, where) in enumerate(said):
        at = NOW.replace(minute=place)
        claim = Claim(
            ends[0], "USES", ends[1], Stance.SUPPORTS, ExtractionContext.INFERRED, Provenance.USER, origin or "hand",
            at, "person", quote, where,
        )  # fmt: skip
        ledger.claims.append(Numbered(number * 10 + place, NOW, claim))

    runner.run(kept(store, ledger))
    told = runner.run(Knowledge(store).observations([key], 5))[key]

    assert [(one.origin, one.quote, one.place) for one in told] == [
        (origin or "hand", quote, where) for origin, quote, where in reversed(said)
    ]
    assert [one.occurred_at for one in told] == [NOW.replace(minute=place) for place in reversed(range(len(said)))]
