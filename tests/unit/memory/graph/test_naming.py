"""One name, one entity, however it is typed; several of one name are told apart; what is no name is refused."""

from __future__ import annotations

import asyncio
import unicodedata

import pytest
from graph_memory import NOW, PERSON, entity
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.errors import AmbiguousName, EntityExists, UnknownEntity, UsageError
from recall_plugin.memory.graph import naming
from recall_plugin.memory.graph.naming import Wanted
from recall_plugin.memory.graph.opening import Graph
from recall_plugin.memory.graph.relating import NewEntity, add_entity


def find(runner: asyncio.Runner, graph: Graph, text: str) -> tuple[str, str]:
    """Type and name of the entity that is meant."""
    found = runner.run(naming.find(graph.knowledge, Wanted.parse(text)))
    return found.type.value, found.name


@pytest.fixture(scope="module", autouse=True)
def known(runner: asyncio.Runner, graph: Graph) -> None:
    """Entities that the tests ask for."""

    async def add() -> None:
        await entity(graph, "Zoë Brandt", EntityType.PERSON, aliases=["ZB", "部署"])
        await entity(graph, "Jordan", EntityType.PERSON)
        await entity(graph, "Jordan", EntityType.PROJECT, aliases=["ASR1605"])
        await entity(graph, "ASR1603")
        await entity(graph, "ASR1605")
        await entity(graph, "Project: Apollo", EntityType.CONCEPT)
        await entity(graph, "Apollo", EntityType.PERSON)
        await entity(graph, "a:b", EntityType.CONCEPT)

    runner.run(add())


@pytest.mark.parametrize(
    "typed",
    [
        "Zoe\u0308 Brandt",
        "ZOË  BRANDT",
        " zoë\u00a0brandt ",
        "Ｚｏë Ｂｒａｎｄｔ",
        "Zoë\u200b Brandt",
        "person:zoë brandt",
        "Person: Zoë Brandt",
        "zb",
        "部署",
    ],
)
def test_unicode_form_case_width_and_spacing_make_no_other_entity(
    runner: asyncio.Runner, graph: Graph, typed: str
) -> None:
    assert find(runner, graph, typed) == ("person", "Zoë Brandt")


@settings(max_examples=40)
@given(
    st.sampled_from([str.upper, str.lower, str.title, str.swapcase]),
    st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]),
    st.sampled_from([" ", "\t", "\u3000", " \u00a0 "]),
)
def test_whoever_makes_such_a_name_again_is_told_that_it_is_there(
    runner: asyncio.Runner, graph: Graph, case: object, form: str, space: str
) -> None:
    assert callable(case)
    typed = unicodedata.normalize(form, case("Zoë Brandt")).replace(" ", space)  # type: ignore[arg-type]

    with pytest.raises(EntityExists, match="there is person 'Zoë Brandt' already"):
        runner.run(add_entity(graph, NewEntity(typed, EntityType.PERSON), PERSON, now=NOW))


def test_digits_and_accents_tell_names_apart(runner: asyncio.Runner, graph: Graph) -> None:
    assert find(runner, graph, "asr1603") == ("tool", "ASR1603")
    with pytest.raises(UnknownEntity) as unknown:
        find(runner, graph, "Zoe Brandt")

    assert "did you mean 'Zoë Brandt'" in str(unknown.value)


def test_a_name_of_its_own_is_meant_rather_than_somebodys_other_name(runner: asyncio.Runner, graph: Graph) -> None:
    assert find(runner, graph, "ASR1605") == ("tool", "ASR1605")
    assert find(runner, graph, "project:ASR1605") == ("project", "Jordan")


def test_several_of_one_name_are_asked_for_with_their_type(runner: asyncio.Runner, graph: Graph) -> None:
    with pytest.raises(AmbiguousName) as several:
        find(runner, graph, "jordan")

    assert "say which: person:Jordan, project:Jordan" in several.value.hint
    assert find(runner, graph, "person:jordan") == ("person", "Jordan")
    assert find(runner, graph, "PROJECT: Jordan") == ("project", "Jordan")


def test_a_colon_in_a_name_is_part_of_it_unless_a_type_stands_before_it(runner: asyncio.Runner, graph: Graph) -> None:
    assert find(runner, graph, "a:b") == ("concept", "a:b")
    assert find(runner, graph, "Project: Apollo") == ("concept", "Project: Apollo")
    assert find(runner, graph, "person:Apollo") == ("person", "Apollo")
    assert find(runner, graph, "concept:Project: Apollo") == ("concept", "Project: Apollo")


@pytest.mark.parametrize("typed", ["Jordn", "tool:Jordn", "jordan river"])
def test_an_unknown_name_comes_with_those_spelled_alike(runner: asyncio.Runner, graph: Graph, typed: str) -> None:
    with pytest.raises(UnknownEntity) as unknown:
        find(runner, graph, typed)

    assert "Jordan" in unknown.value.suggestions
    assert "add-entity" in unknown.value.hint


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x" * 10_240, "at most 200 characters"),
        ("部" * 3_500, "at most 200"),
        (" \u200b\n", "visible"),
        ("", "visible"),
    ],
    ids=["10 kB", "10 kB of Chinese", "blank", "empty"],
)
def test_what_is_no_name_is_refused_with_the_reason(
    runner: asyncio.Runner, graph: Graph, name: str, reason: str
) -> None:
    before = runner.run(graph.store.counts())

    with pytest.raises(UsageError, match=reason):
        Wanted.parse(name)
    with pytest.raises(UsageError, match=reason) as refused:
        runner.run(add_entity(graph, NewEntity(name, EntityType.TOOL), PERSON, now=NOW))
    with pytest.raises(UsageError, match=reason):
        runner.run(add_entity(graph, NewEntity("good", EntityType.TOOL, aliases=[name]), PERSON, now=NOW))

    assert len(str(refused.value)) < 400
    assert runner.run(graph.store.counts()) == before
