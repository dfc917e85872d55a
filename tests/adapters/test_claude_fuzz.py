"""Properties of reading a Claude Code transcript that hold whatever stands in it."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claude_lines import SESSION, agent, answers, asks, queue, queued, uid, user
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_adapters.claude_code import ClaudeTranscript, sniff
from recall_plugin.domain.conversation import Role, Turn, clean_text
from recall_plugin.domain.transcript import ReadReport

SAMPLE = Path(__file__).parents[1] / "samples/claude-code/home/.claude/projects/-home-dev-tidepool" / f"{SESSION}.jsonl"
LINES = SAMPLE.read_bytes().splitlines(keepends=True)
RECORDS: list[Any] = [
    *map(json.loads, LINES),
    user(
        [{"type": "text", "text": "Words."}, {"type": "image"}], forkedFrom={"sessionId": "p"}, origin={"kind": "human"}
    ),
    answers([{"type": "text", "text": "The user doesn't want to do it, the user said:\nno"}], error=True),
    {"type": "summary", "summary": "s", "leafUuid": uid("u")},
]
TRICKY = [
    *("user", "assistant", "attachment", "queue-operation", "remove", "tool_use", "tool_result", "text", "prompt"),
    *(
        "<system-reminder>",
        "</system-reminder>",
        "<bash-stdout>",
        "<command-args>a</command-args>",
        "\ud83d",
        "\x1b[1m",
    ),
    *(uid("u"), "toolu_1", "", "2026-11-28T09:00:00Z", "9999-12-31T23:59:59-23:00", 10**4200, 1e308, float("nan")),
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(TRICKY),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(["type", "text"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def reading(data: bytes, **options: Any) -> tuple[list[Turn], ReadReport]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{SESSION}.jsonl"
        path.write_bytes(data)
        assert sniff(path) in (True, False)
        transcript = ClaudeTranscript(path, **options)
        assert transcript.session.agent == "claude-code"
        return list(transcript.turns()), transcript.report


def written(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside `value`."""
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from places(value[key], (*path, key))


def expect_sound(turns: list[Turn], report: ReadReport) -> None:
    """What a consumer takes for granted."""
    assert len({turn.id for turn in turns}) == len(turns)
    assert report.inherited <= {turn.id for turn in turns}
    for turn in turns:
        texts = [turn.id, turn.text]
        if turn.tool is not None:
            texts += [turn.tool.name, turn.tool.input, *turn.tool.paths]
        else:
            assert turn.text.strip()
            assert turn.text == turn.text.strip()
        assert turn.id
        assert all(text == clean_text(text) for text in texts)
        "".join(texts).encode()
    "".join([report.title, report.inherited_from, *report.warnings, *report.unknown_types]).encode()


@st.composite
def broken_records(draw: st.DrawFn) -> list[Any]:
    """A few valid records, in some of which something was replaced by something else."""
    records = copy.deepcopy(draw(st.lists(st.sampled_from(RECORDS), min_size=1, max_size=4)))
    for record in records:
        for _ in range(draw(st.integers(0, 2))):
            *parents, last = draw(st.sampled_from(list(places(record))))
            holder = record
            for key in parents:
                holder = holder[key]
            holder[last] = draw(json_values)
    return records


@given(broken_records(), st.booleans())
@settings(max_examples=400)
def test_any_value_may_stand_anywhere(records: list[Any], settled: bool) -> None:
    turns, report = reading(written(records), settled=settled)

    expect_sound(turns, report)
    assert report.skipped_lines == 0


@given(st.lists(json_values, max_size=4))
def test_any_values_may_stand_for_records(values: list[Any]) -> None:
    turns, report = reading(written(values))

    expect_sound(turns, report)
    assert report.skipped_lines == sum(not isinstance(value, dict) for value in values)


@given(st.binary(max_size=200), st.integers(0, len(LINES)), st.integers(0, 2000))
def test_any_bytes_may_stand_between_records_or_in_one(junk: bytes, line: int, column: int) -> None:
    lines = list(LINES)
    if line < len(lines):
        lines[line] = lines[line][:column] + junk + lines[line][column:]

    turns, report = reading(b"".join(lines) + junk)

    expect_sound(turns, report)


@given(st.integers(0, sum(map(len, LINES))))
@settings(max_examples=40)
def test_a_file_that_is_still_being_written_gives_the_beginning_of_its_turns(size: int) -> None:
    data = b"".join(LINES)

    whole, _ = reading(data, settled=False)
    turns, report = reading(data[:size], settled=False)

    assert turns == whole[: len(turns)]
    assert report.skipped_lines <= 1


@given(st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_a_records_keys_does_not_matter(chance: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(item) for item in value]
        if not isinstance(value, dict):
            return value
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key]) for key in keys}

    in_order, report = reading(written(RECORDS))
    turns, same = reading(written([shuffled(record) for record in RECORDS]))

    assert turns == in_order
    assert (same.unknown_types, same.title, same.inherited) == (report.unknown_types, report.title, report.inherited)


@given(st.lists(st.sampled_from(range(12)), max_size=12))
def test_reading_a_file_twice_over_gives_the_same_turns_once(choice: list[int]) -> None:
    pool = [
        *(user("Go on.", name=f"u{n}") for n in range(2)),
        *(agent("Done.", name=f"a{n}") for n in range(2)),
        *(asks("Bash", {"command": "ls"}, id_=f"t{n}") for n in range(2)),
        *(answers("ok", id_=f"t{n}") for n in range(2)),
        *(queued("Wait.", name=f"q{n}") for n in range(2)),
        *(queue("remove", f"Stop {n}.", minute=n) for n in range(2)),
    ]
    records = [pool[n] for n in choice]

    once, _ = reading(written(records))
    twice, _ = reading(written([*records, *records]))

    assert {turn.id: turn for turn in twice if turn.role is not Role.TOOL} == {
        turn.id: turn for turn in once if turn.role is not Role.TOOL
    }
