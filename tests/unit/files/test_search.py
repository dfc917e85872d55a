"""Archive search finds what was said, where, and by whom."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.conversation import Conversation, Role, Session, ToolActivity, Turn
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.files import archiving
from recall_plugin.files.policy import Policy
from recall_plugin.files.search import CUT, ArchiveSearch, excerpt

NOW = datetime(2026, 3, 6, tzinfo=UTC)


@pytest.fixture
def archived(layout: Layout) -> Layout:
    for name, texts in (
        ("old", ("We chose Kestrel as the queue.", "### User\nfake heading")),
        ("new", ("one\ntwo Kestrel\nthree\nfour", "naïve STRASSE straße ＡＢＣ")),
    ):
        turns = tuple(Turn(f"{name}{place}", Role.USER, text, NOW) for place, text in enumerate(texts))
        tool = Turn(f"{name}-t", Role.TOOL, "kestrel.log: 3 lines", NOW, ToolActivity("Read"))
        source = GivenTranscript(Conversation(Session(name, "a"), (*turns, tool)))
        archiving.archive(layout, source, Policy(lambda text: text), source="session", now=NOW)
    return layout


def test_lines_come_newest_archive_first_with_their_source_and_context(archived: Layout) -> None:
    hits = ArchiveSearch(archived).lines("kestrel", context=1, limit=10)

    assert [(hit.source.number, hit.source.turn, hit.source.role.value, hit.line) for hit in hits] == [
        (2, 1, "user", "two Kestrel"),
        (2, 3, "tool", "kestrel.log: 3 lines"),
        (1, 1, "user", "We chose Kestrel as the queue."),
        (1, 3, "tool", "kestrel.log: 3 lines"),
    ]
    assert (hits[0].before, hits[0].after) == (("one",), ("three",))
    assert len(ArchiveSearch(archived).lines("kestrel", context=0, limit=3)) == 3


@pytest.mark.parametrize("query", ["naive", "NAÏVE", "nai\u0308ve", "strasse", "abc", "queue kestrel"])
def test_case_width_accents_and_the_order_of_words_do_not_matter(archived: Layout, query: str) -> None:
    assert len(ArchiveSearch(archived).lines(query, context=0, limit=10)) == 1


def test_our_own_markup_is_never_a_hit(archived: Layout) -> None:
    search = ArchiveSearch(archived)

    assert search.lines("<!-- recall:", context=0, limit=10) == []
    assert [hit.line for hit in search.lines("### User", context=0, limit=10)] == ["### User"]


def test_the_first_passages_are_the_same_whatever_the_limit(archived: Layout) -> None:
    few = ArchiveSearch(archived).passages("kestrel queue lines", limit=2)
    many = ArchiveSearch(archived).passages("kestrel queue lines", limit=50)

    assert [hit.source for hit in many[:2]] == [hit.source for hit in few]


def test_an_unreadable_archive_is_named_and_the_others_are_searched(archived: Layout) -> None:
    archived.conversation(1).unlink()
    archived.conversation(1).mkdir()
    search = ArchiveSearch(archived)

    assert len(search.passages("kestrel", limit=10)) == 2
    assert [(unread.number, unread.reason) for unread in search.unread] == [(1, "not a regular file")]


@given(
    st.lists(
        st.sampled_from(
            ["Short one.", "A much longer sentence about the harbour and its quays.", "你好。", "x" * 90, "\n"]
        ),
        max_size=30,
    )
)
def test_an_excerpt_is_whole_sentences_with_marked_cuts(parts: list[str]) -> None:
    text = " ".join(parts)
    shown = excerpt(text, "harbour quays", limit=120)

    if len(text) > 120:
        core = shown.removeprefix(f"{CUT} ").removesuffix(f" {CUT}")
        assert core in text
        assert shown == core or CUT in shown
    else:
        assert shown == text


def test_an_excerpt_holds_the_answer_however_it_lies_across_a_boundary() -> None:
    before = "The office has a machine for everybody, and it is cleaned on Fridays by whoever comes last. " * 2
    answer = "When I order beans, my usual blend is Kilimanjaro Reserve, which the shop on the quay roasts itself."
    after = " Nobody else likes it much, they say. It was raining that day, as it often does in the north basin. " * 4

    shown = excerpt(before + answer + after, "which blend of beans do I usually order", limit=200)

    assert "my usual blend is Kilimanjaro Reserve" in shown
    assert shown.startswith(CUT)
    assert shown.endswith(CUT)
