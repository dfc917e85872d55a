"""Archives become episodes, each once, whose words have the class of whoever said them; the account tells of each."""

from __future__ import annotations

import random
import shutil

import pytest
from graph_memory import NOW, Rows, agent, clock, contents, holds, keep, settings_of, tool, user, with_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from small_model import NAME, cached_model
from strategies import conversations as any_conversations

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Conversation
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.errors import EmbeddingStopped, ModelError, NotWritable
from recall_plugin.files import archiving
from recall_plugin.files.journal.journal import Journal
from recall_plugin.files.policy import Policy
from recall_plugin.graph.retrieval.search import Filter
from recall_plugin.graph.store.episodes import EpisodeRecord
from recall_plugin.memory.graph import asking
from recall_plugin.memory.graph.ingesting import Ingested, ingest, ingest_waiting, waiting_archives
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.setup import make_memory

EXTERNAL, USER, SELF = Provenance.EXTERNAL, Provenance.USER, Provenance.SELF


async def ingest_all(graph: Graph) -> list[Ingested]:
    return await ingest_waiting(graph, now=clock)


async def episodes_of(graph: Graph, number: int) -> list[EpisodeRecord]:
    """The episodes of an archive, in order."""
    record = await graph.episodes.archive(number)
    keys = [(number, index) for index in range(record.episodes if record else 0)]
    found = await graph.episodes.episodes(keys)
    return [found[key] for key in keys]


async def classes(graph: Graph, number: int) -> dict[int, Provenance]:
    """Of which class each turn of an archive is."""
    return {part.span.turn: part.provenance for one in await episodes_of(graph, number) for part in one.parts}


def account(layout: Layout) -> list[tuple[int, str]]:
    """What the journal tells of archives, by number."""
    return [(one.fields["archive"], one.fields["stage"]) for one in Journal(layout).read() if one.kind == "archive"]


def test_the_words_of_an_archive_are_of_the_class_of_whoever_said_them(layout: Layout) -> None:
    own, refused = tool("ok", "/notes/own.md", writes=True), tool("no", "/notes/refused.md", writes=True, error=True)
    keep(layout, user("Write the notes."), own, refused)
    keep(
        layout,
        user("What do the notes say?"),
        agent("I look."),
        tool("what the agent wrote before", "/notes/own.md"),
        tool("what somebody else wrote", "/notes/theirs.md"),
        tool("what it could not write", "/notes/refused.md"),
        tool("written now", "/notes/new.md", writes=True),
        tool("and read again", "/notes/new.md"),
        user("Run nightly.", unattended=True),
        session="s2",
    )

    async def work(graph: Graph) -> dict[int, Provenance]:
        await ingest_all(graph)
        only = Filter(provenances=[EXTERNAL])
        for one in await asking.episodes(graph, "what somebody else wrote", limit=9, allowed=only):
            assert (one.provenance, one.turn in {4, 5}) == (EXTERNAL, True)
        return await classes(graph, 2)

    assert list(with_graph(layout, work).values()) == [USER, SELF, SELF, EXTERNAL, EXTERNAL, SELF, SELF, SELF]


def test_what_an_archive_tells_late_of_the_agents_own_files_holds_for_later_archives_too(layout: Layout) -> None:
    keep(layout, user("Write."), tool("ok", "/notes/own.md", writes=True))
    keep(layout, user("Read."), tool("what the agent wrote before", "/notes/own.md"), session="s2")
    keep(layout, user("Something else."), session="s3")
    first = layout.conversation(1).rename(layout.root / "away")
    layout.conversation(1).mkdir()

    async def work(graph: Graph) -> tuple[list[Ingested], dict[int, Provenance]]:
        return await ingest_all(graph), await classes(graph, 2)

    [failed, *_], before = with_graph(layout, work)
    layout.conversation(1).rmdir()
    first.rename(layout.conversation(1))
    [late], after = with_graph(layout, work)

    assert (failed.archive, bool(failed.failure), before) == (1, True, {1: USER, 2: EXTERNAL})
    assert (late.archive, late.failure, after) == (1, "", {1: USER, 2: SELF})
    rows = holds(layout)
    shutil.rmtree(layout.graph)
    assert holds(layout) == rows


def test_an_archive_that_cannot_be_read_is_accounted_for_and_holds_up_no_other(layout: Layout) -> None:
    for name in ("s1", "s2", "s3"):
        keep(layout, user(f"Words of {name}."), session=name)
    layout.conversation(2).unlink()
    layout.conversation(2).mkdir()

    async def work(graph: Graph) -> tuple[list[bool], list[int], str]:
        done = await ingest_all(graph)
        reason = graph.store.meta.account.archives[2].reason
        return [bool(one.failure) for one in done], await waiting_archives(graph), reason

    failures, waiting, reason = with_graph(layout, work)
    again, _, _ = with_graph(layout, work)

    assert (failures, waiting, again) == ([False, True, False], [2], [True])
    assert str(layout.conversation(2)) in reason
    assert account(layout) == [
        (1, "ingested"),
        (2, "failed"),
        (3, "ingested"),
    ]


def test_ingesting_again_changes_nothing_and_shows_the_model_nothing(layout: Layout) -> None:
    keep(layout, user("We chose Kestrel as the queue."), agent("Noted. " * 300))

    async def work(graph: Graph) -> tuple[Rows, Ingested]:
        await ingest(graph, 1, now=clock)
        before = await contents(graph.store)
        again = await ingest(graph, 1, now=clock)
        after = await contents(graph.store)
        for rows in (before, after):
            del rows["meta"]
        assert before == after
        return after, again

    rows, again = with_graph(layout, work)

    assert (again.episodes, again.embedded) == (len(rows["episode"]), 0)
    assert again.windows > 3


def test_what_memory_printed_is_in_no_episode_whoever_repeats_it(layout: Layout) -> None:
    key = settings_of(layout).key
    block = key.print("The secret harbour is Rosalind Bay.").text
    keep(
        layout,
        user(f"Before.\n{block}After."),
        agent(f"Memory says:\n> {block}"),
        tool("\n".join(f"{line}" for line in block.splitlines()), "/x"),
        user(block),
    )

    async def work(graph: Graph) -> list[str]:
        await ingest_all(graph)
        return [one.text for one in await episodes_of(graph, 1)]

    texts = "\n".join(with_graph(layout, work))

    assert "Rosalind" not in texts
    assert "[recall" not in texts
    assert all(word in texts for word in ("Before.", "After.", "Memory says:"))


def test_an_interrupted_archive_waits_and_what_was_embedded_of_it_is_kept(layout: Layout) -> None:
    keep(layout, *(user(" ".join(f"Tide {turn} {n}." for n in range(60))) for turn in range(6)))
    asked = iter([False, True])

    async def interrupted(graph: Graph) -> tuple[list[Ingested], list[int]]:
        graph.searcher.should_stop = lambda: next(asked)
        with pytest.raises(EmbeddingStopped):
            await ingest(graph, 1, now=clock)
        graph.searcher.should_stop = lambda: True
        return await ingest_all(graph), await waiting_archives(graph)

    assert with_graph(layout, interrupted) == ([], [1])
    [done] = with_graph(layout, ingest_all)

    assert 0 < done.embedded < done.windows
    assert account(layout) == [(1, "ingested")]


def test_a_stop_between_archives_leaves_the_rest_waiting(layout: Layout) -> None:
    for name in ("s1", "s2", "s3"):
        keep(layout, user(f"Words of {name}."), session=name)

    async def work(graph: Graph) -> tuple[list[int], list[int]]:
        asked = iter([False, True])
        done = await ingest_waiting(graph, now=clock, should_stop=lambda: next(asked))
        return [one.archive for one in done], await waiting_archives(graph)

    assert with_graph(layout, work) == ([1], [2, 3])


def test_nothing_is_embedded_where_nothing_could_be_recorded(layout: Layout) -> None:
    keep(layout, user("Words."))
    Journal(layout).append([{"kind": "dream", "v": 1}], now=NOW)

    async def work(graph: Graph) -> dict[str, int]:
        with pytest.raises(NotWritable, match="upgrade recall_plugin"):
            await ingest_all(graph)
        return await graph.store.counts()

    assert with_graph(layout, work)["archive"] == 0


def test_a_model_that_is_not_to_be_had_is_told_once_and_tried_again_later(layout: Layout) -> None:
    for name in ("s1", "s2"):
        keep(layout, user(f"Words of {name}."), session=name)
    cached_model(layout.models, b"no model")
    layout.config.write_text(f'[graph.embedding]\nmodel = "{NAME}"\n')
    layout.config.chmod(0o600)

    async def fails(graph: Graph) -> list[int]:
        with pytest.raises(ModelError):
            await ingest_all(graph)
        return await waiting_archives(graph)

    assert with_graph(layout, fails) == [1, 2]
    layout.config.unlink()
    assert [one.failure for one in with_graph(layout, ingest_all)] == ["", ""]
    assert account(layout) == [
        (1, "failed"),
        (1, "ingested"),
        (2, "ingested"),
    ]


@settings(max_examples=2)
@given(st.lists(any_conversations, min_size=8, max_size=8))
def test_any_conversations_are_ingested_and_come_out_of_a_rebuild_the_same(
    tmp_path_factory: pytest.TempPathFactory, conversations: list[Conversation]
) -> None:
    layout = make_memory(tmp_path_factory.mktemp("memory") / "nia").layout
    policy = Policy(lambda text: text)
    for conversation in conversations:
        archiving.archive(layout, GivenTranscript(conversation), policy, source="session", now=NOW)

    async def work(graph: Graph) -> tuple[list[str], Rows]:
        done = await ingest_all(graph)
        await asking.episodes(graph, "部署窗口 queue", limit=5)
        return [one.failure for one in done], await contents(graph.store)

    failures, rows = with_graph(layout, work)
    shutil.rmtree(layout.store)

    assert not any(failures)
    assert holds(layout) == rows


def test_any_bytes_for_an_archive_are_ingested_or_named(layout: Layout) -> None:
    dice = random.Random(7)
    for number in range(24):
        keep(layout, user("We chose Kestrel."), agent("Yes."), tool("ok", "/a", writes=True), session=f"s{number}")
        path = layout.conversation(number + 1)
        path.write_bytes(damaged(path.read_bytes(), dice, ["flip", "cut", "insert", "noise"][number % 4]))
    keep(layout, user("Whole."), session="whole")

    async def work(graph: Graph) -> list[Ingested]:
        done = await ingest_all(graph)
        await asking.episodes(graph, "queue", limit=5)
        return done

    done = with_graph(layout, work)

    assert [one.archive for one in done] == list(range(1, 26))
    assert done[-1].episodes == 1


def damaged(data: bytes, dice: random.Random, how: str) -> bytes:
    """An archive that somebody damaged."""
    changed = bytearray(data)
    if how == "flip":
        for _ in range(8):
            changed[dice.randrange(len(data))] = dice.randrange(256)
    elif how == "cut":
        del changed[dice.randrange(len(data)) :]
    elif how == "insert":
        at = dice.randrange(len(data))
        changed[at:at] = dice.choice([b"---\n", b"### User\n", b"\x00", b"\xff\xfe", b"<!-- recall:", b"```\n"])
    else:
        changed = bytearray(dice.randbytes(400))
    return bytes(changed)
