"""Texts of like lengths are embedded together, within a limit."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.embedding.batches import plan


@given(st.lists(st.integers(0, 3000), max_size=60), st.integers(1, 2000))
def test_every_text_is_in_one_batch_and_no_batch_costs_more_than_the_limit(counts: list[int], limit: int) -> None:
    batches = plan(counts, limit)

    assert sorted(place for batch in batches for place in batch) == list(range(len(counts)))
    assert all(len(batch) == 1 or len(batch) * max(counts[place] for place in batch) <= limit for batch in batches)


@given(st.lists(st.integers(0, 3000), max_size=60), st.integers(1, 2000))
def test_no_batch_could_take_the_text_that_follows_it(counts: list[int], limit: int) -> None:
    batches = plan(counts, limit)

    for batch, following in pairwise(batches):
        assert max(counts[place] for place in batch) <= counts[following[0]]
        assert (len(batch) + 1) * counts[following[0]] > limit
