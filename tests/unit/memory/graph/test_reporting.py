"""Reports: two beliefs of the same number are told apart, and each names where it comes from."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
from graph_memory import AGENT, NOW, PERSON, entity, keep, say, sure, user

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Claim, Named, Place
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.memory.graph import naming
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import correct
from recall_plugin.memory.graph.reporting import Overview, decay_report, overview, show
from recall_plugin.memory.graph.views import RelationView, Sure, observation_line

LONG_AGO = NOW - timedelta(days=140)
EXTERNAL = {"provenance": Provenance.EXTERNAL, "context": ExtractionContext.EXPLICIT}


@pytest.fixture(scope="module", autouse=True)
def filled(runner: asyncio.Runner, graph: Graph) -> None:
    """A relation that much speaks for, long ago; a speculative one; a denied, a disputed and a certain one."""

    async def fill() -> None:
        for name in ("harbor", "Kestrel", "Redis", "Postgres", "tide", "api"):
            await entity(graph, name)
        await entity(graph, "Ada", EntityType.PERSON)
        for number in range(45):
            at = LONG_AGO - timedelta(days=44 - number)
            await say(graph, "harbor", "USES", "Kestrel", origin=f"doc {number}", at=at, **EXTERNAL)
        for number in range(6):
            deny = {"deny": True, "at": LONG_AGO - timedelta(days=9)}
            await say(graph, "harbor", "USES", "Kestrel", origin=f"other {number}", **deny, **EXTERNAL)
        speculative = {"context": ExtractionContext.SPECULATIVE}
        await say(graph, "harbor", "USES", "Redis", **speculative)
        await say(graph, "api", "USES", "Postgres", AGENT)
        await say(graph, "api", "USES", "tide")
        await correct(graph, Wanted("api"), "USES", Wanted("tide"), PERSON, verdict="wrong", now=NOW)
        await say(graph, "Ada", "BUILDS", "harbor", quote="I built it")

    runner.run(fill())


def looked(runner: asyncio.Runner, graph: Graph, limit: int = 10, now: datetime = NOW) -> Overview:
    return runner.run(overview(graph, sure(graph, now), limit=limit))


def lines(views: tuple[RelationView, ...]) -> list[str]:
    return [f"{one.source} {one.relation.key.type} {one.target}" for one in views]


def test_two_meanings_of_thirty_percent_are_told_apart_in_words_and_in_order(
    runner: asyncio.Runner, graph: Graph
) -> None:
    found = {one.target: one for one in looked(runner, graph).surest}
    evidenced, speculative = found["Kestrel"], found["Redis"]

    assert evidenced.relation.evidence.alpha == pytest.approx(53, abs=1e-9)
    assert evidenced.relation.evidence.beta == pytest.approx(7, abs=1e-9)
    assert (evidenced.mark, speculative.mark) == (" [30%]", " [30%]")
    assert evidenced.standing == "well evidenced, not confirmed for 140 days"
    assert speculative.standing == "never confirmed"
    order = lines(looked(runner, graph).surest)
    assert order.index("harbor USES Kestrel") < order.index("harbor USES Redis")
    harbor = runner.run(naming.find(graph.knowledge, Wanted("harbor")))
    shown = runner.run(show(graph, harbor, sure(graph), limit=9))
    told = {one.target: one.standing for one in shown.relations if one.source == "harbor"}
    assert told == {"Kestrel": evidenced.standing, "Redis": speculative.standing}


def test_an_overview_tells_what_there_is_what_is_sure_what_is_not_and_what_came_last(
    runner: asyncio.Runner, graph: Graph
) -> None:
    whole, short = looked(runner, graph), looked(runner, graph, limit=1)

    assert (whole.counts["entity"], whole.counts["relates_to"]) == (7, 5)
    assert whole.types == {"tool": 6, "person": 1}
    assert lines(whole.disputed) == ["api USES tide"]
    assert lines(short.surest) == ["Ada BUILDS harbor"]
    assert lines(short.least_sure) == ["harbor USES Redis"]
    assert lines(short.latest) == ["Ada BUILDS harbor"]
    assert whole.least_sure == ()
    assert "api USES tide" not in lines(whole.surest)
    for one in (*whole.surest, *whole.disputed, *whole.latest):
        assert len(one.sources) == 1


def test_what_is_shown_names_its_latest_sources_and_counts_the_rest(runner: asyncio.Runner, graph: Graph) -> None:
    harbor = runner.run(naming.find(graph.knowledge, Wanted("harbor")))

    one, whole = (runner.run(show(graph, harbor, sure(graph), limit=limit)) for limit in (1, 9))

    assert (lines(one.relations), one.more) == (["Ada BUILDS harbor"], 2)
    assert whole.more == 0
    [built, kestrel, _] = whole.relations
    assert observation_line(built.sources[0]) == "by hand, 2026-11-30T10:00:00Z: “I built it”"
    assert len(kestrel.sources) == 5
    latest = observation_line(kestrel.sources[0])
    assert latest.startswith("doc 44 (external)")
    assert "2026-07-13T10:00:00Z" in latest
    times = [source.occurred_at for source in kestrel.sources]
    assert times == sorted(times, reverse=True)


def test_words_from_an_archive_are_named_by_archive_turn_role_and_time(runner: asyncio.Runner, graph: Graph) -> None:
    number = keep(graph.layout, user("Ada prefers tea."))
    ada, tide = (runner.run(naming.find(graph.knowledge, Wanted(name))) for name in ("Ada", "tide"))
    ends = [Named(one.key, one.name, one.type) for one in (ada, tide)]
    claim = Claim(
        ends[0], "PREFERS", ends[1], Stance.SUPPORTS, ExtractionContext.EXPLICIT, Provenance.USER, "s1", NOW, "local",
        "prefers tea", Place(number, 1, 4, 15),
    )  # fmt: skip

    runner.run(graph.record([claim], now=NOW))
    shown = runner.run(show(graph, ada, sure(graph), limit=9))

    [source] = next(one.sources for one in shown.relations if one.target == "tide")
    assert observation_line(source) == (f"conversation {number:03d}, turn 1, user, 2026-11-30T10:00:00Z: “prefers tea”")


def test_a_decay_report_puts_first_what_has_lost_most(runner: asyncio.Runner, graph: Graph) -> None:
    fading = runner.run(decay_report(graph, sure(graph), limit=3))

    assert lines(tuple(one.relation for one in fading))[0] == "harbor USES Kestrel"
    assert fading[0].days == pytest.approx(140, abs=1e-6)
    assert fading[0].lost == pytest.approx(
        fading[0].relation.relation.evidence.mean * (1 - 0.5 ** (140 / 90)), abs=1e-9
    )
    assert [one.lost for one in fading[1:]] == [0.0, 0.0]


def test_an_empty_graph_has_reports_too(runner: asyncio.Runner, graph: Graph, layout: object) -> None:
    from graph_memory import with_graph

    async def work(empty: Graph) -> tuple[Overview, list[object]]:
        judged = Sure(NOW, 90.0)
        return await overview(empty, judged, limit=5), list(await decay_report(empty, judged, limit=5))

    found, fading = with_graph(layout, work)  # type: ignore[arg-type]

    assert set(found.counts.values()) == {0}
    assert (found.types, found.surest, found.latest, fading) == ({}, (), (), [])
