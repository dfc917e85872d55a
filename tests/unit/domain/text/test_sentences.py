from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall_plugin.domain.text.sentences import sentence_spans, shorten, split_sentences

AWKWARD = st.text(alphabet=st.sampled_from(" \t\nabAB19.!?…。！？؟।-*•#>[x]()\"'”」`é\u0301中とแ"), max_size=80)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It works. Ship it!", ["It works.", "Ship it!"]),
        ("", []),
        ("   \n\n  ", []),
        ("--- *** ...", []),
        ("no full stop", ["no full stop"]),
        # abbreviations, initials, numbers
        ("Use a queue, e.g. Kestrel, i.e. ours.", ["Use a queue, e.g. Kestrel, i.e. ours."]),
        ("Ask Dr. Brandt. She knows.", ["Ask Dr. Brandt.", "She knows."]),
        ("J. R. Smith came. He left.", ["J. R. Smith came.", "He left."]),
        ("Logs, dumps, etc. are gone. Good.", ["Logs, dumps, etc. are gone.", "Good."]),
        ("They like dogs, cats, etc. We do too.", ["They like dogs, cats, etc.", "We do too."]),
        ("See fig. 3 for it. Then go.", ["See fig. 3 for it.", "Then go."]),
        ("At 5 p.m. we stop. Then rest.", ["At 5 p.m. we stop.", "Then rest."]),
        ("Am 3. März geht es los. Gut.", ["Am 3. März geht es los.", "Gut."]),
        ("We need 3. Then we stop.", ["We need 3.", "Then we stop."]),
        # identifiers
        ("Open parser.py at v1.2.3. Then run it.", ["Open parser.py at v1.2.3.", "Then run it."]),
        ("See https://example.org/a.b?c=d! Now.", ["See https://example.org/a.b?c=d!", "Now."]),
        # ellipses and quotations
        ("Well... maybe not. Well… No.", ["Well... maybe not.", "Well…", "No."]),
        ('He said "Stop!" and left. "Yes." Fine.', ['He said "Stop!" and left.', '"Yes."', "Fine."]),
        ("Really? yes! go on.", ["Really?", "yes!", "go on."]),
        ("(It works.) Good.", ["(It works.)", "Good."]),
        # lines, lists, markdown
        ("one\ntwo", ["one", "two"]),
        ("- first\n- second\n  * third\n3. fourth", ["first", "second", "third", "fourth"]),
        ("# Title\n\n> quoted text\n- [ ] a task", ["Title", "quoted text", "a task"]),
        ("first • second • third", ["first", "second", "third"]),
        ("**Done.** The parser works.", ["**Done.**", "The parser works."]),
        # other scripts
        ("部署窗口是周二。我们用Kestrel！好吗？是的", ["部署窗口是周二。", "我们用Kestrel！", "好吗？", "是的"]),
        ("「はい。」と言った。次。", ["「はい。」と言った。", "次。"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        ("यह ठीक है। चलो।", ["यह ठीक है।", "चलो।"]),
        ("好的!我们开始", ["好的!", "我们开始"]),
    ],
)
def test_a_text_falls_into_the_sentences_a_reader_sees(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_a_line_wrapped_by_an_editor_is_no_end_of_a_sentence() -> None:
    text = "We store every gauge reading in metres, because the\nharbour office reports metres\nand nothing else. Good."

    assert split_sentences(text)[-1] == "Good."
    assert split_sentences(text)[0].startswith("We store every gauge reading in metres, because the\nharbour office")


def test_short_lines_are_sentences_of_their_own() -> None:
    assert split_sentences("Deploy on Tuesday\nwrite the notes\nrest") == [
        "Deploy on Tuesday",
        "write the notes",
        "rest",
    ]


@given(AWKWARD | st.text(max_size=200))
@example(". ")
@example("\n- \n- [ ] \n")
def test_spans_are_ordered_disjoint_and_free_of_white_space(text: str) -> None:
    spans = sentence_spans(text)

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before <= start for (_, before), (start, _) in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert split_sentences(text) == [text[start:end] for start, end in spans]


@given(AWKWARD | st.text(max_size=200))
def test_every_letter_and_digit_belongs_to_a_sentence_or_a_list_mark(text: str) -> None:
    covered = {at for start, end in sentence_spans(text) for at in range(start, end)}

    lost = [character for at, character in enumerate(text) if at not in covered and character.isalpha()]
    assert set(lost) <= {"x"}  # of a checkbox


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "。" * 10**6,
        "." * 10**6,
        ". " * 500000,
        "\n" * 10**6,
        "\n- " * 333333,
        "e.g. " * 200000,
        "Tides rise twice a day, as a rule. " * 30000,
        "• " * 500000,
        ".)" * 500000,
        " \n" * 500000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_a_megabyte_of_anything_is_split_within_three_seconds(text: str) -> None:
    start = time.process_time()

    sentence_spans(text)

    assert time.process_time() - start < 3


def test_a_long_text_is_cut_at_the_end_of_a_word() -> None:
    assert shorten("The tide table parser drops the last row", 24) == "The tide table parser…"
    assert shorten("short", 5) == "short"
    assert shorten("部署窗口是周二部署窗口", 6) == "部署窗口是…"


@given(st.text(max_size=100), st.integers(1, 60))
def test_a_shortened_text_keeps_its_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)

    assert len(short) <= limit
    assert short == text or text.startswith(short.removesuffix("…"))
