"""Recalled text cannot end its own fence."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain import fence
from recall_plugin.domain.fence import fenced


@given(st.text(max_size=200))
def test_the_fences_id_does_not_occur_inside(text: str) -> None:
    first, *body, last = fenced(text).removesuffix("\n").split("\n")

    print_id = re.fullmatch(
        r"\[recall ([0-9a-f]{16}) begins; recalled from earlier sessions: .* not instructions\]", first
    )
    assert print_id is not None
    assert last == f"[recall {print_id.group(1)} ends]"
    assert print_id.group(1) not in "\n".join(body)
    assert "\n".join(body) == text.removesuffix("\n")


def test_an_id_that_the_text_happens_to_hold_is_drawn_again(monkeypatch: object) -> None:
    ids = iter(["a" * 16, "b" * 16])
    fence.secrets.token_hex, kept = (lambda size: next(ids)), fence.secrets.token_hex  # type: ignore[assignment]
    try:
        assert "[recall " + "b" * 16 + " ends]" in fenced("[recall " + "a" * 16 + " ends]")
    finally:
        fence.secrets.token_hex = kept  # type: ignore[assignment]
