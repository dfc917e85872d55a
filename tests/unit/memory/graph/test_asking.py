"""Questions: the first five are the same whatever the limit, the user's word ranks first, every result has a source."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from graph_memory import AGENT, NOW, PERSON, agent, clock, entity, keep, say, sure, user, with_graph

from recall_plugin.domain.belief.evidence import ExtractionContext
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.episodes.passages import CUT
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.layout import Layout
from recall_plugin.graph.retrieval.search import Filter
from recall_plugin.memory.graph import asking
from recall_plugin.memory.graph.ingesting import ingest_waiting
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import correct
from recall_plugin.memory.graph.views import Sure

EXTERNAL = {"provenance": Provenance.EXTERNAL, "context": ExtractionContext.EXPLICIT}
LIMITS = (1, 5, 7, 50, 1000)
PHRASE = "my usual blend is Kilimanjaro Reserve"
PARAGRAPH = (
    "The kitchen was painted over the summer and the shelves went up again in the second week of June, all of them. "
    "Since the grinder came back from repair in the spring I can say that "
    + PHRASE
    + ", ground for the small pot. The neighbour prefers tea and says so whenever the windows are open. "
    "The delivery comes on the first Thursday of the month, and the bags are kept in the tin beside the stove. "
    "Whoever makes the first pot in the morning also empties the filter and writes the date on the tin. "
    "The old tin, the green one, holds the spare filters and the brush, and nobody has used it since the move. "
    "The brush is only for the grinder and for nothing else in the house, whatever anybody says."
)


@pytest.fixture(scope="module", autouse=True)
def filled(runner: asyncio.Runner, graph: Graph) -> None:
    """A store of twenty archives, thirty entities and some relations."""
    keep(graph.layout, user("Which queue?"), agent("We chose Kestrel as the queue."), session="queue")
    keep(graph.layout, user(PARAGRAPH), session="blend", cwd="/home/ada/kitchen")
    for number in range(18):
        turns = [
            user(f"What of lock {number}?"),
            agent(f"Lock {number} opens at high tide, {number} hours after noon."),
        ]
        keep(graph.layout, *turns, session=f"lock {number}")

    async def fill() -> None:
        await ingest_waiting(graph, now=clock)
        for number in range(24):
            await entity(graph, f"lock {number}", EntityType.SERVICE, abstract=f"a lock of the canal, number {number}")
        for name in ("api", "port 22", "port 49222", "Kestrel", "Redis", "harbor"):
            await entity(graph, name)
        await say(graph, "harbor", "USES", "Kestrel")
        for number in range(1, 12):
            await say(graph, "harbor", "USES", f"lock {number}", origin=f"doc {number}", **EXTERNAL)

    runner.run(fill())


def fragments(runner: asyncio.Runner, graph: Graph, question: str, limit: int = 5) -> list[asking.Fragment]:
    return runner.run(asking.episodes(graph, question, limit=limit))


@pytest.mark.parametrize("question", ["Which queue did we choose?", "When does lock 7 open?", "canal and tide", "部署"])
def test_the_first_five_are_the_same_five_whatever_the_limit(
    runner: asyncio.Runner, graph: Graph, question: str
) -> None:
    def found(limit: int) -> list[list[object]]:
        hits = runner.run(asking.search(graph, question, now=NOW, limit=limit))
        words = runner.run(asking.search(graph, question, now=NOW, limit=limit, keyword=True))
        typed = runner.run(asking.search(graph, question, now=NOW, limit=limit, types=[EntityType.TOOL]))
        answer = runner.run(asking.query(graph, question, sure(graph), limit=limit))
        return [
            [(one.line.key, one.score) for one in hits],
            [(one.line.key, one.score) for one in words],
            [(one.line.key, one.score) for one in typed],
            [(one.line.key, one.score) for one in answer.entities],
            [(one.relation.key, score) for one, score in answer.relations],
            [(one.episode.key, one.score, one.excerpt) for one in answer.fragments],
            [(one.episode.key, one.score, one.excerpt) for one in fragments(runner, graph, question, limit)],
        ]

    longest = found(LIMITS[-1])

    for limit in LIMITS:
        assert found(limit) == [answer[:limit] for answer in longest]


def test_words_of_a_question_do_not_hide_the_answer(runner: asyncio.Runner, graph: Graph) -> None:
    [first, *_] = fragments(runner, graph, "Which queue did we choose last week, exactly?")

    assert "We chose Kestrel as the queue." in first.excerpt


def test_an_answer_comes_in_whole_sentences_and_its_cuts_are_marked(runner: asyncio.Runner, graph: Graph) -> None:
    [first, *_] = fragments(runner, graph, "What is my usual blend?")

    assert PHRASE in first.excerpt
    assert first.excerpt.endswith(CUT)
    shown = first.excerpt.removesuffix(CUT).strip()
    assert shown in PARAGRAPH
    assert shown.endswith(".")
    assert PARAGRAPH.startswith(shown) or first.excerpt.startswith(CUT)


def test_wherever_the_answer_stands_in_a_long_turn_it_is_shown_whole(layout: Layout) -> None:
    places = range(0, 1200, 300)
    filler = [f"On day {number} the tide stood {number} hands above the mark." for number in range(30)]
    for place in places:
        before = " ".join(filler)[:place].rpartition(". ")[0]
        text = f"{before}. I can say that {PHRASE}, ground. {' '.join(reversed(filler))}"
        keep(layout, user(text), session=f"at {place}")

    async def work(graph: Graph) -> list[str]:
        await ingest_waiting(graph, now=clock)
        shown = []
        for number in range(1, len(places) + 1):
            only = Filter(owners=[number])
            [first, *_] = await asking.episodes(graph, "What is my usual blend?", limit=1, allowed=only)
            shown.append(first.excerpt)
        return shown

    for shown in with_graph(layout, work):
        assert PHRASE in shown
        assert shown.removesuffix(CUT).rstrip().endswith(".")
        assert len(shown) < 1200


def test_every_fragment_names_archive_turn_role_and_time(runner: asyncio.Runner, graph: Graph) -> None:
    for one in fragments(runner, graph, "lock 3", 30):
        archive, _ = one.episode.key
        assert one.source_line.startswith(f"conversation {archive:03d}, turn {one.turn}, {one.role}, 2026-11-30T10:0")
        told = one.to_json()
        assert (told["archive"], told["turn"], told["role"]) == (archive, one.turn, one.role.value)
        assert one.time is not None


def test_every_relation_of_an_answer_names_its_source(runner: asyncio.Runner, graph: Graph) -> None:
    answer = runner.run(asking.query(graph, "harbor", sure(graph), limit=20))

    assert len(answer.relations) == 12
    for one, _ in answer.relations:
        [source] = one.sources
        assert (source.origin == "hand") is (one.target == "Kestrel")
        assert source.occurred_at == NOW


def test_a_filter_hides_the_rest_and_a_preferred_project_hides_nothing(runner: asyncio.Runner, graph: Graph) -> None:
    def keys(allowed: Filter, question: str = "the tin beside the stove") -> list[tuple[int, int]]:
        found = runner.run(asking.episodes(graph, question, limit=50, allowed=allowed))
        return [one.episode.key for one in found]

    tide = "When does the lock open at high tide?"

    assert keys(Filter(projects=["kitchen"])) == [(2, 0)]
    assert keys(Filter(projects=["nowhere"])) == []
    assert sorted(keys(Filter(preferred="kitchen"), tide)) == sorted(keys(Filter(), tide))
    assert len(keys(Filter(), tide)) > 10
    assert keys(Filter(owners=[7]), tide) == [(7, 0)]
    assert keys(Filter(since=int(NOW.timestamp()) + 86400)) == []


def test_a_neighbour_has_its_parents_score_times_the_effective_confidence(runner: asyncio.Runner, graph: Graph) -> None:
    later = NOW + timedelta(days=90)

    for now in (NOW, later):
        judged = Sure(now, graph.settings.confidence_half_life)
        hits = {one.line.key: one for one in runner.run(asking.search(graph, "harbor", now=now, limit=500))}
        answer = runner.run(asking.query(graph, "harbor", judged, limit=500))

        found = {one.line.name: one for one in answer.entities}
        kestrel = found["Kestrel"]
        assert kestrel.via is not None
        assert kestrel.score == pytest.approx(hits[found["harbor"].line.key].score * kestrel.via.effective, abs=1e-12)
        assert kestrel.via.effective == pytest.approx(1.0 if now == NOW else 0.5, abs=1e-12)
        assert found["harbor"].via is None


def test_a_faint_relation_leads_nowhere(runner: asyncio.Runner, graph: Graph) -> None:
    async def work() -> tuple[list[str], list[str]]:
        for name in ("spring", "faint end", "clear end"):
            await entity(graph, name, EntityType.CONCEPT)
        await say(graph, "spring", "USES", "faint end", confidence=0.0999)
        await say(graph, "spring", "USES", "clear end", confidence=0.1001)
        answer = await asking.query(graph, "spring", sure(graph), limit=500)
        return (
            [one.target for one, _ in answer.relations if one.source == "spring"],
            [one.line.name for one in answer.entities if one.via is not None],
        )

    relations, reached = runner.run(work())

    assert relations == ["clear end"]
    assert "faint end" not in reached


@pytest.mark.parametrize("mentions", [1, 20])
def test_a_correction_ranks_the_replacement_first_and_shows_what_it_replaced_as_disputed(
    layout: Layout, mentions: int
) -> None:
    async def work(graph: Graph) -> tuple[asking.Answer, float]:
        for name in ("api", "22", "49222"):
            await entity(graph, name)
        for number in range(mentions):
            change = await say(graph, "api", "LISTENS_ON", "22", origin=f"doc {number}", **EXTERNAL)
        before = change.after.evidence.mean
        await correct(
            graph, Wanted("api"), "LISTENS_ON", Wanted("22"), PERSON, verdict="wrong", now=NOW, quote="no, 49222"
        )
        await say(graph, "api", "LISTENS_ON", "49222")
        return await asking.query(graph, "which port does api use", sure(graph), limit=5), before

    answer, before = with_graph(layout, work)

    [(first, _), (second, _)] = answer.relations
    assert (first.target, second.target) == ("49222", "22")
    assert first.mark == ""
    assert "disputed by you on 2026-11-30" in second.line
    assert second.relation.evidence.mean < before
    assert (second.effective > 0.9) is (mentions == 20)
    names = [one.line.name for one in answer.entities]
    assert "22" not in names[: names.index("49222")]


def test_a_correction_that_is_taken_back_ranks_by_evidence_again(layout: Layout) -> None:
    async def work(graph: Graph) -> list[str]:
        for name in ("api", "22", "49222"):
            await entity(graph, name)
        await say(graph, "api", "LISTENS_ON", "22")
        await say(graph, "api", "LISTENS_ON", "49222", AGENT)
        for verdict in ("wrong", "lifted"):
            await correct(graph, Wanted("api"), "LISTENS_ON", Wanted("22"), PERSON, verdict=verdict, now=NOW)
        answer = await asking.query(graph, "which port does api use", sure(graph), limit=5)
        return [one.target for one, _ in answer.relations]

    assert with_graph(layout, work) == ["22", "49222"]


def test_an_entity_that_is_told_anew_is_found_by_its_new_words_at_once(layout: Layout) -> None:
    async def work(graph: Graph) -> tuple[list[str], list[str]]:
        for number in range(30):
            await entity(graph, f"tool {number}")
        await asking.search(graph, "anything", now=NOW, limit=1)
        await entity(graph, "windlass", abstract="raises the anchor of a ship")
        hits = await asking.search(graph, "what lifts the anchor?", now=NOW, limit=1)
        words = await asking.search(graph, "anchor", now=NOW, limit=3, keyword=True)
        return [one.line.name for one in hits], [one.line.name for one in words]

    assert with_graph(layout, work) == (["windlass"], ["windlass"])
    assert with_graph(layout, lambda graph: asking.search(graph, "anchor", now=NOW, limit=1))[0].line.name == "windlass"


def test_words_alone_need_no_model(layout: Layout) -> None:
    layout.config.write_text('[graph.embedding]\nmodel = "no such model"\n')
    layout.config.chmod(0o600)

    async def work(graph: Graph) -> list[str]:
        await entity(graph, "windlass", abstract="raises the anchor")
        await entity(graph, "rudder")
        hits = await asking.search(graph, "the anchor", now=NOW, limit=3, keyword=True)
        return [one.line.name for one in hits]

    assert with_graph(layout, work) == ["windlass"]
    layout.config.unlink()
    hits = with_graph(layout, lambda graph: asking.search(graph, "what steers a ship", now=NOW, limit=1))
    assert [one.line.name for one in hits] == ["rudder"]


@pytest.mark.parametrize("question", ["", " ", "\0", "???", "🦜", "x" * 200_000, "'; DELETE entity; --", "the of and"])
def test_any_question_has_an_answer(runner: asyncio.Runner, graph: Graph, question: str) -> None:
    before = runner.run(graph.store.counts())

    answer = runner.run(asking.query(graph, question, sure(graph), limit=3))

    assert len(answer.fragments) <= 3
    assert runner.run(graph.store.counts()) == before


def test_an_empty_memory_answers_nothing(layout: Layout) -> None:
    answer = with_graph(layout, lambda graph: asking.query(graph, "anything", sure(graph), limit=5))

    assert answer == asking.Answer((), (), ())


def test_the_relation_that_a_question_is_about_comes_before_what_was_said_later(layout: Layout) -> None:
    async def work(graph: Graph) -> list[str]:
        for name in ("api", "port 22", "port 49222", "Redis", "Go", "nginx", "billing", "Mira"):
            await entity(graph, name)
        await say(graph, "api", "LISTENS_ON", "port 22")
        await correct(graph, Wanted("api"), "LISTENS_ON", Wanted("port 22"), PERSON, verdict="wrong", now=NOW)
        await say(graph, "api", "LISTENS_ON", "port 49222")
        for verb, target in (
            ("DEPENDS_ON", "Redis"),
            ("WRITTEN_IN", "Go"),
            ("USES", "nginx"),
            ("RELATES_TO", "billing"),
        ):
            await say(graph, "api", verb, target)
        await say(graph, "Mira", "BUILDS", "api")
        answers = []
        for question in ("which port does api use", "who builds the api?", "what is the api written in?"):
            answer = await asking.query(graph, question, sure(graph), limit=5)
            answers.append(answer.relations[0][0].line)
        return answers

    assert with_graph(layout, work) == ["api LISTENS_ON port 49222", "Mira BUILDS api", "api WRITTEN_IN Go"]


def test_what_was_answered_is_shown_beside_a_question_that_was_found(layout: Layout) -> None:
    keep(
        layout,
        user("And which database?"),
        agent("CockroachDB it is, since ops runs it."),
        user("What should the mascot be?"),
        agent("A heron named Bartolo."),
        session="s1",
    )

    async def work(graph: Graph) -> list[str]:
        await ingest_waiting(graph, now=clock)
        found = []
        for question in ("Which database did we choose?", "what is our mascot"):
            [fragment, *_] = await asking.episodes(graph, question, limit=1)
            found.append(fragment.excerpt + (fragment.following.text if fragment.following else ""))
        return found

    database, mascot = with_graph(layout, work)

    assert "CockroachDB" in database
    assert "Bartolo" in mascot
