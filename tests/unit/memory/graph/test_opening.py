"""Whatever became of the store or the journal: opening puts it right, or says what is wrong, and nothing is lost."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from graph_memory import (
    AGENT,
    NOW,
    PERSON,
    Rows,
    clock,
    contents,
    entity,
    holds,
    keep,
    say,
    settings_of,
    user,
    with_graph,
)

from recall_plugin.domain.health import Degraded
from recall_plugin.domain.journal.events import SessionNoted, written
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import (
    JournalDamaged,
    JournalNewer,
    NotWritable,
    StoreBehind,
    StoreDamaged,
    StoreNewer,
    WriteFailed,
)
from recall_plugin.files.graph_state import read_state
from recall_plugin.files.journal.journal import Journal
from recall_plugin.graph.store.engine import Engine
from recall_plugin.graph.store.schema import SCHEMA_VERSION
from recall_plugin.graph.store.store import META
from recall_plugin.memory.graph import asking, relating
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.progress import silent
from recall_plugin.memory.graph.rebuilding import rebuild, settle_swap
from recall_plugin.memory.status import status

NOTED = {"kind": "session", "v": 1, "session": "s9", "stage": "archived", "archive": 9}


async def fill(graph: Graph) -> None:
    """Entities, relations of both actors, a correction, and the episodes of what waits."""
    for name in ("api", "22", "49222"):
        await entity(graph, name)
    await say(graph, "api", "LISTENS_ON", "22")
    await say(graph, "api", "LISTENS_ON", "49222", AGENT)
    await relating.correct(graph, Wanted("api"), "LISTENS_ON", Wanted("22"), PERSON, verdict="wrong", now=NOW)
    await ingest_waiting(graph, now=clock)


async def found(graph: Graph) -> list[tuple[int, int]]:
    """The episodes that answer a question, best first."""
    return [one.episode.key for one in await asking.episodes(graph, "Which queue did we choose?", limit=5)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A memory of two archives and their graph, which is closed; nobody changes it."""
    from recall_plugin.memory.setup import make_memory

    layout = make_memory(tmp_path_factory.mktemp("filled") / "nia").layout
    keep(layout, user("We chose Kestrel as the queue."), session="s1")
    keep(layout, user("The queue is emptied on Tuesday."), session="s2")
    with_graph(layout, fill)
    return layout


@pytest.fixture(scope="module")
def expected(filled: Layout) -> Rows:
    """What the graph of that memory holds."""
    return holds(filled)


@pytest.fixture
def memory(filled: Layout, tmp_path: Path) -> Layout:
    """A copy of that memory."""
    shutil.copytree(filled.root, tmp_path / "nia", dirs_exist_ok=True)
    return Layout(tmp_path / "nia")


def journal_file(layout: Layout) -> Path:
    """The one segment of the journal."""
    [path] = layout.journal.glob("*.jsonl")
    return path


def change_line(layout: Layout, number: int, change: Callable[[bytes], bytes]) -> None:
    """The line of an event is another."""
    lines = journal_file(layout).read_bytes().splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    journal_file(layout).write_bytes(b"".join(lines))


async def change_store(layout: Layout, statement: str, **values: object) -> None:
    """The statement was run in the store, which is closed."""
    engine = await Engine.open(layout.store)
    await engine.query(statement, {"meta": META, **values})
    await engine.close()


def test_a_fresh_graph_is_empty_current_and_closed_behind_its_user(layout: Layout) -> None:
    async def look(graph: Graph) -> tuple[dict[str, int], list[str], str]:
        return await graph.store.counts(), graph.notices, graph.read_only

    counts, notices, read_only = with_graph(layout, look)

    assert set(counts.values()) == {0}
    assert (notices, read_only) == ([], "")
    assert not (layout.graph / "owner.lock").read_bytes()
    assert oct(layout.graph.stat().st_mode)[-3:] == "700"
    assert holds(layout)["meta"]["meta:graph"]["applied"] == 0


def test_a_deleted_graph_comes_back_by_itself_with_the_same_beliefs_and_episodes(
    memory: Layout, expected: Rows
) -> None:
    shutil.rmtree(memory.graph)

    async def look(graph: Graph) -> tuple[Rows, list[tuple[int, int]]]:
        return await contents(graph.store), await found(graph)

    rows, keys = with_graph(memory, look)

    assert rows == expected
    assert sorted(keys) == [(1, 0), (2, 0)]
    assert read_state(memory).counts["episode"] == 2


def test_a_store_whose_latest_writes_were_lost_gets_them_back_the_episodes_too(memory: Layout, expected: Rows) -> None:
    held = shutil.copytree(memory.store, memory.root / "held")
    keep(memory, user("The archive was written after the backup of the store."), session="s3")

    async def go_on(graph: Graph) -> Rows:
        await ingest_waiting(graph, now=clock)
        await say(graph, "api", "LISTENS_ON", "22", AGENT)
        return await contents(graph.store)

    latest = with_graph(memory, go_on)
    shutil.rmtree(memory.store)
    held.rename(memory.store)

    assert holds(memory) == latest
    assert len(latest["episode"]) == len(expected["episode"]) + 1


@pytest.mark.parametrize("kept", [0, 5])
@pytest.mark.parametrize("grown", [False, True])
def test_what_the_journal_lost_stays_in_the_store(memory: Layout, kept: int, grown: bool) -> None:
    lines = journal_file(memory).read_bytes().splitlines(keepends=True)
    journal_file(memory).write_bytes(b"".join(lines[:kept]))
    if grown:  # past the number that the store knows, so that only another event under it tells
        Journal(memory).append([NOTED] * len(lines), now=NOW)

    async def look(graph: Graph) -> tuple[str, int]:
        return graph.read_only, (await graph.store.counts())["observation"]

    read_only, claims = with_graph(memory, look)
    ill = status(memory).health
    rebuilt = asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent))
    accepted, _ = with_graph(memory, look)

    assert "the journal has lost events that the store knows" in read_only
    assert claims == 3
    assert isinstance(ill, Degraded)
    assert rebuilt.counts["observation"] < claims
    assert accepted == ""


@pytest.mark.parametrize(
    "statement",
    ["UPDATE $meta SET version = 0", "REMOVE TABLE meta; DEFINE TABLE meta SCHEMALESS; CREATE $meta SET version = 0"],
)
def test_an_older_store_is_made_again_and_that_is_said(memory: Layout, expected: Rows, statement: str) -> None:
    asyncio.run(change_store(memory, statement))

    async def look(graph: Graph) -> tuple[Rows, list[str]]:
        return await contents(graph.store), graph.notices

    rows, notices = with_graph(memory, look)

    assert rows == expected
    assert notices == ["the store was of version 0: it is made again"]


def test_a_newer_store_is_refused_and_not_touched(memory: Layout, expected: Rows) -> None:
    asyncio.run(change_store(memory, "UPDATE $meta SET version = $version", version=SCHEMA_VERSION + 1))

    with pytest.raises(StoreNewer, match="upgrade recall_plugin"):
        holds(memory)

    assert "newer than this program" in read_state(memory).read_only
    asyncio.run(change_store(memory, "UPDATE $meta SET version = $version", version=SCHEMA_VERSION))
    assert holds(memory) == expected
    assert read_state(memory).read_only == ""


def damage_manifest(store: Path) -> None:
    for path in (store / "manifest").iterdir():
        path.write_bytes(b"noise")


def make_foreign(store: Path) -> None:
    shutil.rmtree(store)

    async def make() -> None:
        engine = await Engine.open(store)
        await engine.query("DEFINE TABLE somebody_elses SCHEMALESS; CREATE somebody_elses SET a = 1")
        await engine.close()

    asyncio.run(make())


def make_file(store: Path) -> None:
    shutil.rmtree(store)
    store.write_text("no folder")


@pytest.mark.parametrize("damage", [damage_manifest, make_foreign, make_file])
def test_a_store_that_is_none_is_named_and_one_rebuild_puts_it_right(
    memory: Layout, expected: Rows, damage: Callable[[Path], None]
) -> None:
    damage(memory.store)
    with pytest.raises(StoreDamaged, match="recall rebuild"):
        holds(memory)
    told = read_state(memory).read_only

    rebuilt = asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent))

    assert "damaged" in told
    assert (rebuilt.failed, rebuilt.asides, rebuilt.embedded) == ({}, 0, 0)
    assert read_state(memory).read_only == ""
    assert holds(memory) == expected
    assert sorted(path.name for path in memory.graph.iterdir()) == ["owner.lock", "state.json", "surreal", "vectors"]


@pytest.mark.parametrize(
    "left",
    [
        {"surreal": "surreal.old"},  # between the two renames
        {"surreal": "surreal.old", "other": "surreal.new"},
        {"other": "surreal.old"},  # before the old one was removed
        {"other": "surreal.new"},  # while the new one was made
        {"file": "surreal.new"},
        {"file": "surreal.old"},
        {"link": "surreal.old"},
    ],
    ids=str,
)
def test_a_swap_that_was_interrupted_anywhere_is_settled_at_the_next_opening(
    memory: Layout, expected: Rows, left: dict[str, str]
) -> None:
    elsewhere = memory.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("words")
    for what, name in left.items():
        target = memory.graph / name
        if what == "surreal":
            memory.store.rename(target)
        elif what == "other":
            shutil.copytree(memory.vectors, target)
        elif what == "file":
            target.write_text("stray")
        else:
            target.symlink_to(elsewhere)

    assert holds(memory) == expected
    asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent))
    assert holds(memory) == expected
    assert sorted(path.name for path in memory.graph.glob("surreal*")) == ["surreal"]
    assert (elsewhere / "precious").read_text() == "words"


def test_settling_a_swap_that_cannot_be_settled_is_named(memory: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.store.rename(memory.graph / "surreal.old")

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)

    with pytest.raises(WriteFailed, match="surreal"):
        settle_swap(memory.store)


def test_a_torn_tail_is_cut_off_with_a_notice_and_costs_nothing(memory: Layout, expected: Rows) -> None:
    with journal_file(memory).open("ab") as file:
        file.write(b'{"n":99,"at":"2026-11-30T1')

    async def look(graph: Graph) -> tuple[Rows, list[str], str]:
        return await contents(graph.store), graph.notices, graph.read_only

    rows, [notice], read_only = with_graph(memory, look)

    assert rows == expected
    assert "bytes of an append that was never finished were cut off" in notice
    assert read_only == ""


def test_a_line_in_the_middle_that_is_no_event_lets_ask_and_lets_nothing_be_recorded(
    memory: Layout, expected: Rows
) -> None:
    good = len(journal_file(memory).read_bytes().splitlines())
    Journal(memory).append([NOTED, NOTED, NOTED], now=NOW)
    change_line(memory, good + 2, lambda line: b"\x00" * (len(line) - 1) + b"\n")
    journal = journal_file(memory).read_bytes()

    async def ask(graph: Graph) -> tuple[str, list[tuple[int, int]], int]:
        with pytest.raises(NotWritable, match="nothing is recorded"):
            await entity(graph, "new")
        return graph.read_only, await found(graph), graph.store.meta.applied

    read_only, keys, applied = with_graph(memory, ask)
    with pytest.raises(JournalDamaged) as refused:
        asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent))

    for told in (read_only, str(refused.value), read_state(memory).read_only):
        assert f"{journal_file(memory)}: line {good + 2}" in told
    assert sorted(keys) == [(1, 0), (2, 0)]
    assert applied == good + 1
    assert journal_file(memory).read_bytes() == journal
    assert {**holds(memory), "meta": {}} == {**expected, "meta": {}}


def test_what_was_mended_is_followed_again_and_told(memory: Layout) -> None:
    good = len(journal_file(memory).read_bytes().splitlines())
    Journal(memory).append([NOTED], now=NOW)
    Journal(memory).append([NOTED], now=NOW)
    whole = journal_file(memory).read_bytes()
    change_line(memory, good + 1, lambda line: b"no event\n")
    holds(memory)
    broken = read_state(memory).read_only

    journal_file(memory).write_bytes(whole)
    meta = holds(memory)["meta"]["meta:graph"]

    assert broken
    assert read_state(memory).read_only == ""
    assert meta["applied"] == good + 2


def test_a_deleted_graph_beside_a_broken_journal_holds_what_stands_before_that_place(
    memory: Layout, expected: Rows
) -> None:
    Journal(memory).append([NOTED], now=NOW)
    Journal(memory).append([NOTED], now=NOW)
    lines = journal_file(memory).read_bytes().splitlines()
    change_line(memory, len(lines) - 1, lambda line: b"no event\n")
    shutil.rmtree(memory.graph)

    async def ask(graph: Graph) -> tuple[str, list[tuple[int, int]], Rows]:
        return graph.read_only, await found(graph), await contents(graph.store)

    read_only, keys, rows = with_graph(memory, ask)

    assert f"line {len(lines) - 1}" in read_only
    assert sorted(keys) == [(1, 0), (2, 0)]
    assert {**rows, "meta": {}} == {**expected, "meta": {}}


def test_old_damage_that_nobody_reads_any_more_stops_a_change_of_weights_and_no_question(memory: Layout) -> None:
    change_line(memory, 2, lambda line: b"no event\n")
    memory.config.write_text("[graph.provenance]\nweight_user = 0.5\n")
    memory.config.chmod(0o600)

    async def ask(graph: Graph) -> tuple[str, list[tuple[int, int]]]:
        return graph.read_only, await found(graph)

    for _ in range(2):
        read_only, keys = with_graph(memory, ask)

        assert "line 2" in read_only
        assert sorted(keys) == [(1, 0), (2, 0)]
    assert [entry.kind for entry in Journal(memory).read(after=2)].count("policy") == 0


def test_an_event_that_cannot_be_applied_is_set_aside_and_named_and_the_rest_goes_on(memory: Layout) -> None:
    claim = {
        "kind": "claim", "v": 1, "relation": "USES", "stance": "supports", "context": "explicit", "class": "user",
        "source": {"key": "nobody", "name": "Nobody", "type": "tool"}, "origin": "hand", "by": "person",
        "target": {"key": "nothing", "name": "Nothing", "type": "tool"}, "occurred_at": "2026-11-30T10:00:00Z",
    }  # fmt: skip
    first = len(journal_file(memory).read_bytes().splitlines()) + 1
    Journal(memory).append([claim, {"kind": "claim", "v": 1, "relation": "no type"}, NOTED], now=NOW)

    async def look(graph: Graph) -> tuple[list[str], list[int], str, int]:
        numbers = [one.number for one in await graph.store.asides()]
        return graph.notices, numbers, graph.read_only, graph.store.meta.applied

    notices, numbers, read_only, applied = with_graph(memory, look)

    assert [f"event {first} (claim) was set aside: there is no entity nobody (Nobody)"] == notices[-1:]
    assert any(f"event {first + 1} (claim) was set aside: source" in notice for notice in notices)
    assert numbers == [first, first + 1]
    assert (read_only, applied) == ("", first + 2)
    assert [aside.split(":")[0] for aside in read_state(memory).asides] == [
        f"event {first} (claim)",
        f"event {first + 1} (claim)",
    ]
    assert asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent)).asides == 2
    assert len(read_state(memory).asides) == 2


@pytest.mark.parametrize("newer", [{"kind": "dream", "v": 1}, {**NOTED, "v": 2}], ids=["kind", "version"])
def test_an_event_of_a_newer_program_makes_the_graph_read_only_at_its_place(
    memory: Layout, newer: dict[str, object]
) -> None:
    Journal(memory).append([NOTED, newer, NOTED], now=NOW)
    place = len(journal_file(memory).read_bytes().splitlines()) - 1

    async def ask(graph: Graph) -> tuple[str, int, list[tuple[int, int]]]:
        return graph.read_only, graph.store.meta.applied, await found(graph)

    for _ in range(2):
        read_only, applied, keys = with_graph(memory, ask)

        assert f"event {place} is" in read_only
        assert "upgrade recall_plugin" in read_only
        assert applied == place - 1
        assert sorted(keys) == [(1, 0), (2, 0)]
    with pytest.raises(JournalNewer, match=f"event {place}"):
        asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent))


def test_what_waits_in_the_spool_is_in_the_graph_once_it_is_open(memory: Layout) -> None:
    Journal(memory).spool([written(SessionNoted("s7", "failed", reason="no room"))], now=NOW)

    async def look(graph: Graph) -> list[str]:
        return list(graph.store.meta.account.sessions)

    assert with_graph(memory, look) == ["s7"]
    assert not list(memory.spool.glob("*.json"))
    assert with_graph(memory, look) == ["s7"]


def test_vectors_that_were_lost_are_made_again_and_never_mistaken_for_others(memory: Layout) -> None:
    question = with_graph(memory, found)
    for path in memory.vectors.glob("*/digests.bin"):
        path.write_bytes(path.read_bytes()[:-10])
    keep(memory, user("A new text takes the row that was lost."), session="s3")

    async def go_on(graph: Graph) -> list[tuple[int, int]]:
        await ingest_waiting(graph, now=clock)
        return await found(graph)

    after = with_graph(memory, go_on)

    assert [key for key in after if key != (3, 0)] == question

    async def scores(graph: Graph) -> list[tuple[tuple[int, int], float]]:
        hits = await asking.episodes(graph, "Which queue did we choose?", limit=5)
        return [(one.episode.key, round(one.score, 6)) for one in hits]

    kept = with_graph(memory, scores)
    shutil.rmtree(memory.graph)
    assert with_graph(memory, scores) == kept


def test_events_recorded_at_once_are_each_applied_once(layout: Layout) -> None:
    async def many(graph: Graph) -> Rows:
        await entity(graph, "api")
        await entity(graph, "kestrel")
        await asyncio.gather(
            *(say(graph, "api", "USES", "kestrel", origin=f"session {number}") for number in range(20)),
            *(entity(graph, f"tool {number}") for number in range(10)),
        )
        return await contents(graph.store)

    rows = with_graph(layout, many)

    [relation] = rows["relates_to"].values()
    assert (relation["origins"], relation["mentions"]) == (20, 20)
    assert len(rows["entity"]) == 12
    shutil.rmtree(layout.graph)
    assert holds(layout) == rows


def test_a_store_that_cannot_follow_says_that_the_words_are_kept(memory: Layout) -> None:
    async def work(graph: Graph) -> str:
        await graph.store.engine.query("DEFINE FIELD OVERWRITE counted ON tally TYPE string")
        with pytest.raises(StoreBehind) as behind:
            await say(graph, "api", "LISTENS_ON", "22", AGENT)
        return str(behind.value)

    told = with_graph(memory, work)

    assert "do not run the command again" in told
    assert [entry.kind for entry in Journal(memory).read()][-1] == "claim"
    asyncio.run(rebuild(memory, settings_of(memory), now=NOW, progress=silent))
    assert len(holds(memory)["observation"]) == 4
