"""A span of time in a question does not decide what is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.embedding.embedder import open_embedder
from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.passages import Passage
from recall_plugin.graph.retrieval.questions import embedded_query
from recall_plugin.graph.retrieval.search import scored

ANSWER = "We chose Kestrel as the queue."
ASIDES = (
    "Which queue is it? The queue is full again, the queue is stuck.",
    "Last week the queue was slow, exactly as the week before.",
    "We talked about the queue for a week. Which one did you mean, exactly?",
    "A queue is a list of messages; every queue needs a consumer.",
    "RabbitMQ is a message queue that many teams choose.",
)
QUESTION = "Which queue did we choose last week, exactly?"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (QUESTION, "Which queue did we choose , exactly?"),
        ("Which queue did we choose?", "Which queue did we choose?"),
        ("What happened last week?", "What happened ?"),
        ("last week", "last week"),
        ("the week of the queue, last week", "the week of the queue, week"),
        ("部署窗口", "部署窗口"),
        ("", ""),
    ],
)
def test_words_of_a_span_are_not_embedded(query: str, expected: str) -> None:
    assert " ".join(embedded_query(query).split()) == expected


@given(st.text(), st.sampled_from(["last week", "yesterday", "two days ago", "these days"]), st.text())
def test_what_is_embedded_is_what_was_asked_with_nothing_added(before: str, span: str, after: str) -> None:
    query = f"{before} {span} {after}"
    rest = iter(query)

    assert all(any(character == other for other in rest) for character in embedded_query(query) if character != " ")


def test_what_was_decided_comes_before_what_else_happened_then(tmp_path: Path) -> None:
    texts = (*ASIDES, ANSWER)
    with open_embedder("minilm-int8", tmp_path / "models", threads=1) as embedder:
        matrix = embedder.embed(texts)
        asked = embedder.embed_query(embedded_query(QUESTION))
    cache = SearchCache(tmp_path / "index", 1)
    cache.rebuild(1, [[Passage(owner, 0, 0, text, row=owner)] for owner, text in enumerate(texts)])
    found = scored(cache.view, matrix, QUESTION, asked).episodes(3)

    assert texts[found[0].owner] == ANSWER
    assert len({each.owner for each in found}) == 3
    assert np.isfinite([each.score for each in found]).all()
