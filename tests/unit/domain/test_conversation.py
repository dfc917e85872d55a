"""Clean text can be written anywhere, and a clipped one says what is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.conversation import Role, ToolActivity, Turn, clean_text, clip, project_of

raw_texts = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("a\x1b[]0;m\x07\r\n\t\x00\x9b\x7f\ud83d\ude00\ud800"), max_size=30
)


@given(raw_texts)
def test_clean_text_is_utf8_without_controls(text: str) -> None:
    cleaned = clean_text(text)

    cleaned.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\t\n" for character in cleaned)
    assert clean_text(cleaned) == cleaned


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("half \ud83d!", "half \ufffd!"),
        ("\ud83d\ude00", "😀"),
        ("nul\x00", "nul"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_what_a_terminal_or_a_vendor_leaves_in_text_goes(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@given(st.text(max_size=200), st.integers(0, 50))
def test_a_clip_keeps_both_ends_and_counts_the_rest(text: str, limit: int) -> None:
    clipped = clip(text, limit)

    if len(text) <= limit:
        assert clipped == text
    else:
        assert f"[… {len(text) - limit} characters left out …]" in clipped


@given(st.integers(100, 5000), st.integers(60, 90), st.integers(0, 40))
def test_clipping_twice_counts_what_the_first_clip_left_out(length: int, first: int, second: int) -> None:
    text = "x" * length

    assert f"[… {length - second} characters left out …]" in clip(clip(text, first), second)


def test_a_turn_of_a_tool_says_which_tool() -> None:
    with pytest.raises(ValueError, match="tool activity"):
        Turn("1", Role.TOOL, "out")
    with pytest.raises(ValueError, match="tool activity"):
        Turn("1", Role.USER, "in", tool=ToolActivity("Read"))


def test_a_project_is_named_by_its_repository_else_by_its_folder() -> None:
    assert project_of("/home/ada/harbor/src", "/home/ada/harbor") == "harbor"
    assert project_of("/home/ada/notes") == "notes"
    assert project_of("") == ""
