"""Wholly or not at all, and the same whether it followed event by event or was filled at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from event_strategies import histories
from graph_memory import NOW, contents
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext
from recall_plugin.domain.belief.provenance import ProvenanceWeights
from recall_plugin.domain.journal.account import Account
from recall_plugin.domain.journal.events import EntityKept, PolicySet
from recall_plugin.domain.journal.fold import Ledger, Numbered, Touched
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import Relation, RelationKey
from recall_plugin.errors import LayoutError, StoreDamaged, StoreError, StoreNewer
from recall_plugin.files.journal.journal import Journal
from recall_plugin.graph.store.engine import Engine
from recall_plugin.graph.store.knowledge import Knowledge
from recall_plugin.graph.store.schema import SCHEMA_VERSION, TABLES
from recall_plugin.graph.store.store import META, Aside, Store
from recall_plugin.memory.graph.applying import apply_rest, fold_all
from recall_plugin.memory.setup import make_memory

History = list[Mapping[str, Any]]


async def emptied(store: Store) -> Store:
    """The store as if nothing had been written yet, and opened anew."""
    deleting = "".join(f"DELETE {table} RETURN NONE;" for table in TABLES)
    await store.engine.write(
        f"{deleting} UPDATE $meta MERGE {{applied: 0, account: $account}} RETURN NONE;",
        {"meta": META, "account": Account().to_plain()},
    )
    return Store(
        store.engine, store.path, store.meta.__class__(SCHEMA_VERSION, 0, "", 1, 1, PolicySet(), Account(), "")
    )


def entity(key: str, name: str = "name", number: int = 1) -> Numbered:
    return Numbered(number, NOW, EntityKept(key, name, EntityType.TOOL, "person"))


async def put(store: Store, *events: Numbered) -> Ledger:
    """The store knows of these events, which touch only entities; what it held of them before is given."""
    touched = Touched(entities={event.event.key for event in events if isinstance(event.event, EntityKept)})
    ledger, before = await store.load(touched), await store.load(touched)
    for event in events:
        ledger.apply(event)
    await store.save(ledger, before, events[-1].number)
    return before


@given(histories, st.lists(st.integers(1, 6), min_size=1))
@settings(max_examples=40)
@example([{"kind": "entity", "v": 1}], [1])
def test_following_in_batches_of_any_size_and_folding_from_nothing_are_the_same_to_the_last_bit(
    runner: asyncio.Runner,
    new_store: Callable[[], Store],
    tmp_path_factory: pytest.TempPathFactory,
    stores: list[Store],
    history: History,
    sizes: list[int],
) -> None:
    layout = make_memory(tmp_path_factory.mktemp("memory") / "nia").layout
    journal = Journal(layout)
    following, filled = (runner.run(emptied(store)) for store in stores)

    turn = 0
    rest = history
    while rest:
        size = sizes[turn % len(sizes)]
        journal.append(rest[:size], now=NOW)
        runner.run(apply_rest(following, journal))
        rest, turn = rest[size:], turn + 1
    folded = fold_all(journal)
    runner.run(filled.fill(folded.ledger, folded.number, folded.asides, folded.last))

    assert runner.run(contents(following)) == runner.run(contents(filled))
    assert following.meta.account == folded.ledger.account
    assert following.meta.applied == len(history)


@pytest.fixture(scope="module")
def stores(new_store: Callable[[], Store]) -> list[Store]:
    """Two stores, for the examples of one test."""
    return [new_store(), new_store()]


@pytest.mark.parametrize(
    "bad",
    [
        Relation(RelationKey("one", "USES", "nobody"), 3, Evidence(1.0, 0.0), ExtractionContext.INFERRED),
        Relation(RelationKey("one", "USES", "two"), 2**64, Evidence(1.0, 0.0), ExtractionContext.INFERRED),
        Relation(RelationKey("one", "USES", "two"), 3, Evidence(1.0, 0.0), ExtractionContext.INFERRED, "\ud800"),
    ],
)
def test_a_save_of_which_one_row_is_refused_changes_nothing(
    runner: asyncio.Runner, new_store: Callable[[], Store], bad: Relation
) -> None:
    store = new_store()
    runner.run(put(store, entity("one", "before")))
    before = runner.run(contents(store))
    touched = Touched(entities={"one", "two"})
    ledger, known = runner.run(store.load(touched)), runner.run(store.load(touched))
    ledger.apply(entity("one", "after", 2))
    ledger.apply(entity("two", "good", 3))
    ledger.relations[bad.key] = bad
    ledger.changed.relations.add(bad.key)

    with pytest.raises(StoreError):
        runner.run(store.save(ledger, known, 3, [Aside(9, "claim", "some reason")]))

    assert runner.run(contents(store)) == before
    assert store.meta.applied == 1
    runner.run(put(store, entity("three", "after all", 2)))
    assert runner.run(Knowledge(store).names()) == ["before", "after all"]


def test_a_store_that_is_opened_again_knows_what_it_knew(runner: asyncio.Runner, tmp_path: Path) -> None:
    policy = PolicySet(ProvenanceWeights(2.0, 0.5, 0.0), "session")
    store = runner.run(Store.open(tmp_path / "store", policy))
    runner.run(put(store, entity("one")))
    meta, held = store.meta, runner.run(contents(store))
    runner.run(store.close())

    again = runner.run(Store.open(tmp_path / "store"))

    assert again.meta == meta
    assert again.meta.policy == policy
    assert runner.run(contents(again)) == held
    runner.run(again.close())


def test_no_two_states_of_a_store_and_no_two_stores_have_the_same_marks(
    runner: asyncio.Runner, new_store: Callable[[], Store]
) -> None:
    one, other = new_store(), new_store()
    marks = [one.meta.entities, one.meta.epoch, other.meta.entities, other.meta.epoch]
    for number in range(1, 4):
        runner.run(put(one, entity("one", f"name {number}", number)))
        marks.append(one.meta.entities)

    assert len(set(marks)) == len(marks)


def test_the_rows_of_every_table_are_counted(runner: asyncio.Runner, new_store: Callable[[], Store]) -> None:
    store = new_store()
    assert runner.run(store.counts()) == dict.fromkeys(TABLES, 0)

    runner.run(put(store, *(entity(f"k{number}", number=number) for number in range(1, 1201))))
    runner.run(store.save(Ledger(), Ledger(), 1201, [Aside(1201, "claim", "there is no entity")]))

    assert runner.run(store.counts()) == {**dict.fromkeys(TABLES, 0), "entity": 1200, "aside": 1}
    assert runner.run(store.asides()) == [Aside(1201, "claim", "there is no entity")]
    assert len(runner.run(Knowledge(store).lines())) == 1200


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (f"UPDATE $meta SET version = {SCHEMA_VERSION + 1}", StoreNewer),
        ("DELETE $meta", StoreDamaged),
        ("UPDATE $meta SET account = {}", StoreDamaged),
        ("UPDATE $meta SET policy = {}", StoreDamaged),
        ("REMOVE TABLE meta", StoreDamaged),
        ("REMOVE TABLE meta; DEFINE TABLE meta SCHEMALESS; CREATE meta:graph SET version = 'x'", StoreDamaged),
    ],
)
def test_a_store_of_which_nobody_can_tell_what_it_is_is_refused_and_left_alone(
    runner: asyncio.Runner, tmp_path: Path, change: str, error: type[StoreError]
) -> None:
    store = runner.run(Store.open(tmp_path / "store"))
    runner.run(put(store, entity("one")))
    runner.run(store.engine.query(change, {"meta": META}))
    runner.run(store.close())

    with pytest.raises(error) as refused:
        runner.run(Store.open(tmp_path / "store"))

    assert str(tmp_path / "store") in str(refused.value)
    engine = runner.run(Engine.open(tmp_path / "store"))
    assert runner.run(engine.query("SELECT VALUE name FROM entity")) == [["name"]]
    runner.run(engine.close())


def test_an_older_store_says_so_and_is_opened_as_it_is(runner: asyncio.Runner, tmp_path: Path) -> None:
    store = runner.run(Store.open(tmp_path / "store"))
    runner.run(store.engine.query("UPDATE $meta SET version = 0", {"meta": META}))
    runner.run(store.close())

    older = runner.run(Store.open(tmp_path / "store"))

    assert older.meta.version == 0
    runner.run(older.close())


@pytest.mark.parametrize("name", ["what?sync=never", "caf\udce9"])
def test_a_path_that_the_engine_would_misread_is_refused_before_anything_is_made(
    runner: asyncio.Runner, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()

    with pytest.raises(LayoutError, match=r"question mark|no UTF-8"):
        runner.run(Store.open(folder / "store"))

    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["a b", "50%20off", "#1", "日本\n語", "it's"])
def test_any_other_path_holds_its_store_itself(runner: asyncio.Runner, tmp_path: Path, name: str) -> None:
    store = runner.run(Store.open(tmp_path / name / "store"))
    runner.run(store.close())

    assert (tmp_path / name / "store" / "manifest").is_dir()
    assert [path.name for path in tmp_path.iterdir()] == [name]
