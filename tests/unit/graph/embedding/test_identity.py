"""A model is known by its name and its files."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.embedding.identity import ModelIdentity, identify


@given(st.text(max_size=200), st.text("0123456789abcdef", min_size=64, max_size=64))
def test_every_key_is_a_safe_file_name(name: str, digest: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]{17,65}", ModelIdentity(name, digest).key)


def test_another_content_another_name_or_another_file_is_another_model() -> None:
    identity = identify("a", {"x": "1", "y": "2"})

    assert identity == identify("a", {"y": "2", "x": "1"})
    others = {
        identify("b", {"x": "1", "y": "2"}),
        identify("a", {"x": "2", "y": "1"}),
        identify("a", {"x": "1"}),
        identify("a", {"x": "1", "z": "2"}),
    }
    assert len(others | {identity}) == 5
