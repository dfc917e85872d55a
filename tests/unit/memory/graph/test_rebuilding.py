"""The same memory comes out of a rebuild, and an unfinished one leaves the old store standing."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from graph_memory import (
    AGENT,
    NOW,
    PERSON,
    Rows,
    agent,
    clock,
    contents,
    entity,
    holds,
    keep,
    say,
    settings_of,
    tool,
    user,
    with_graph,
)

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Claim, Named, Printed, Retrieved
from recall_plugin.domain.knowledge.entity import Entity
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import StoreHeld, UnknownModel
from recall_plugin.files.graph_state import read_state
from recall_plugin.files.journal.journal import Journal
from recall_plugin.memory.graph import asking, rebuilding
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.naming import Wanted, find
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.progress import silent
from recall_plugin.memory.graph.rebuilding import Rebuilt
from recall_plugin.memory.graph.relating import correct
from recall_plugin.memory.setup import make_memory

EXTERNAL = {"provenance": Provenance.EXTERNAL, "context": ExtractionContext.EXPLICIT}


def rebuild(layout: Layout) -> Rebuilt:
    return asyncio.run(rebuilding.rebuild(layout, settings_of(layout), now=NOW, progress=silent))


def make(folder: Path) -> Layout:
    """A memory in which everything happened at least once."""
    layout = make_memory(folder / "nia").layout
    keep(layout, user("Write the notes."), tool("ok", "/notes.md", writes=True), agent("Done. " * 200))
    keep(layout, user("Read them."), tool("the agent's own words", "/notes.md"), tool("others'", "/b"), session="s2")

    async def fill(graph: Graph) -> None:
        for name in ("harbor", "Kestrel", "22", "49222"):
            await entity(graph, name, aliases=[f"the {name}"], abstract=f"{name} is a thing", attributes={"a": name})
        for number in range(7):
            await say(graph, "harbor", "USES", "Kestrel", origin=f"doc {number % 5}", **EXTERNAL)
            await say(graph, "harbor", "USES", "Kestrel", AGENT)
        await say(graph, "harbor", "LISTENS_ON", "22", deny=True)
        await say(graph, "harbor", "LISTENS_ON", "49222", confidence=0.123456789)
        await correct(graph, Wanted("harbor"), "USES", Wanted("Kestrel"), PERSON, verdict="wrong", now=NOW)
        ends = [Named(one.key, one.name, one.type) for one in await ends_of(graph)]
        for session in ("s1", "s2"):
            said = Stance.SUPPORTS, ExtractionContext.INFERRED, Provenance.SELF, session, NOW, "local"
            await graph.record([Claim(ends[0], "USES", ends[1], *said)], now=NOW)
        await ingest_waiting(graph, now=clock)
        found = await asking.search(graph, "harbor", now=NOW, limit=2)
        keys = tuple(one.line.key for one in found)
        await graph.record([Printed("", "search", keys, (), ((1, 0), (9, 9)))], now=NOW)
        await graph.record([Retrieved(NOW, {keys[0]: 41}, ((1, 0, 3),))], now=NOW)

    with_graph(layout, fill)
    return layout


async def ends_of(graph: Graph) -> list[Entity]:
    return [await find(graph.knowledge, Wanted(name)) for name in ("harbor", "Kestrel")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return make(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def expected(made: Layout) -> Rows:
    return holds(made)


@pytest.fixture
def memory(made: Layout, expected: Rows, tmp_path: Path) -> Layout:
    shutil.copytree(made.root, tmp_path / "nia", dirs_exist_ok=True)
    return Layout(tmp_path / "nia")


async def answers(graph: Graph) -> list[object]:
    """What two questions find, with all digits."""
    hits = await asking.search(graph, "harbor", now=NOW, limit=9)
    fragments = await asking.episodes(graph, "whose words are these", limit=9)
    return [
        *((one.line.key, one.score) for one in hits),
        *((one.episode.key, one.score, one.excerpt) for one in fragments),
    ]


def test_everything_comes_out_the_same_and_the_model_sees_nothing(memory: Layout, expected: Rows) -> None:
    before = with_graph(memory, answers)

    done = rebuild(memory)

    assert holds(memory) == expected
    assert with_graph(memory, answers) == before
    assert (done.embedded, done.failed, done.asides) == (0, {}, 0)
    assert done.events == Journal(memory).last_number()
    assert done.counts == {table: len(rows) for table, rows in expected.items() if table != "meta"}
    assert read_state(memory).counts == done.counts


def test_without_the_vectors_everything_is_embedded_again_and_found_as_before(memory: Layout, expected: Rows) -> None:
    before = with_graph(memory, answers)
    shutil.rmtree(memory.graph)

    done = rebuild(memory)

    assert done.embedded > 2
    assert holds(memory) == expected
    assert with_graph(memory, answers) == before


def test_progress_is_told_to_the_end(memory: Layout) -> None:
    told: list[tuple[str, int, int]] = []
    progress = lambda what, done, total: told.append((what, done, total))  # noqa: E731

    asyncio.run(rebuilding.rebuild(memory, settings_of(memory), now=NOW, progress=progress))

    assert [what for what, _, _ in told][:2] == ["reading the journal", "writing entities and relations"]
    assert told[-1] == ("archives", 2, 2)


def test_a_store_that_somebody_has_open_is_left_to_them(memory: Layout, expected: Rows) -> None:
    async def work(graph: Graph) -> None:
        with pytest.raises(StoreHeld, match="process"):
            await rebuilding.rebuild(memory, settings_of(memory), now=NOW, progress=silent)

    with_graph(memory, work)

    assert holds(memory) == expected


def test_a_rebuild_that_fails_leaves_the_old_store_and_nothing_else(memory: Layout, expected: Rows) -> None:
    config = '[graph.embedding]\nmodel = "no such model"\n'
    memory.config.write_text(config)
    memory.config.chmod(0o600)

    with pytest.raises(UnknownModel, match="no such model"):
        rebuild(memory)

    assert [path.name for path in memory.graph.glob("surreal*")] == ["surreal"]
    memory.config.unlink()
    assert holds(memory) == expected


def test_an_archive_that_cannot_be_read_any_more_is_named_and_waits(memory: Layout, expected: Rows) -> None:
    away = memory.conversation(2).rename(memory.root / "away")
    memory.conversation(2).mkdir()

    done = rebuild(memory)

    async def look(graph: Graph) -> tuple[list[str], list[int]]:
        return graph.notices, graph.store.meta.account.waiting([1, 2])

    [notice], waiting = with_graph(memory, look)
    again, _ = with_graph(memory, look)
    memory.conversation(2).rmdir()
    away.rename(memory.conversation(2))
    [late] = with_graph(memory, lambda graph: ingest_waiting(graph, now=clock))

    assert list(done.failed) == [2]
    assert notice.startswith("there are no episodes any more of conversation 002: ")
    assert (waiting, again) == ([2], [])
    assert (late.failure, late.embedded) == ("", 0)
    rows = holds(memory)
    assert {**rows, "meta": {}} == {**expected, "meta": {}}


def test_a_journal_that_ends_in_a_torn_line_is_rebuilt_with_a_notice(memory: Layout, expected: Rows) -> None:
    [segment] = memory.journal.glob("*.jsonl")
    with segment.open("ab") as file:
        file.write(b'{"n":')

    done = rebuild(memory)

    assert ["cut off" in notice for notice in done.notices] == [True]
    assert holds(memory) == expected


@pytest.mark.parametrize("name", ["owner.lock", "surreal", "vectors"])
def test_a_graph_of_another_kind_of_file_is_named_or_made_again(memory: Layout, expected: Rows, name: str) -> None:
    path = memory.graph / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.mkdir() if name == "owner.lock" else path.write_text("stray")

    if name == "surreal":
        rebuild(memory)
    else:
        with pytest.raises(Exception, match=name) as refused:
            rebuild(memory)
        assert type(refused.value).__module__ == "recall_plugin.errors"
        path.rmdir() if path.is_dir() else path.unlink()

    assert holds(memory) == expected


def write_weights(layout: Layout, text: str) -> None:
    layout.config.write_text(text)
    layout.config.chmod(0o600)


WEIGHTS = "[graph.provenance]\nweight_external = 0.3\nweight_user = 2.0\nweight_self = 0.7\n"


@pytest.mark.parametrize("config", [WEIGHTS, '[graph.origins]\nself = "session"\n'], ids=["weights", "origins"])
def test_other_weights_weigh_all_that_was_said_as_if_they_had_always_held(
    memory: Layout, expected: Rows, tmp_path: Path, config: str
) -> None:
    write_weights(memory, config)

    async def look(graph: Graph) -> tuple[Rows, list[str]]:
        return await contents(graph.store), graph.notices

    changed, notices = with_graph(memory, look)
    again, no_notices = with_graph(memory, look)
    kinds = [entry.kind for entry in Journal(memory).read()]
    from_nothing = Layout(tmp_path / "other")
    shutil.copytree(memory.root, from_nothing.root)
    shutil.rmtree(from_nothing.graph)

    assert changed["relates_to"] != expected["relates_to"]
    assert changed == again == holds(from_nothing)
    assert kinds.count("policy") == 1
    assert notices == ["the weights of evidence have changed: all that was said was weighed again"]
    assert no_notices == []
    memory.config.unlink()
    back = holds(memory)
    assert {**back, "meta": {}} == {**expected, "meta": {}}
    assert [entry.kind for entry in Journal(memory).read()].count("policy") == 2


def test_what_is_said_under_other_weights_is_folded_by_them(tmp_path: Path) -> None:
    always, later = make_memory(tmp_path / "always").layout, make_memory(tmp_path / "later").layout

    async def begin(graph: Graph) -> None:
        await entity(graph, "harbor")
        await entity(graph, "Kestrel")
        for number in range(3):
            await say(graph, "harbor", "USES", "Kestrel", origin=f"doc {number}", **EXTERNAL)

    async def go_on(graph: Graph) -> Rows:
        for number in range(2, 5):
            await say(graph, "harbor", "USES", "Kestrel", origin=f"doc {number}", **EXTERNAL)
            await say(graph, "harbor", "USES", "Kestrel", origin=f"doc {number}")
        return await contents(graph.store)

    write_weights(always, WEIGHTS)
    with_graph(always, begin)
    with_graph(later, begin)
    write_weights(later, WEIGHTS)
    [one], [other] = (list(with_graph(each, go_on)["relates_to"].values()) for each in (always, later))

    assert (one["alpha"], one["beta"]) == (other["alpha"], other["beta"])
    assert float(one["alpha"]) == pytest.approx(9 + 2 * 0.3 + 2 * 0.3 + 3 * 1.7, abs=1e-9)
