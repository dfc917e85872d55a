"""Reading the lines of a Claude Code transcript, whatever they hold."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from claude_lines import SESSION, agent, answers, asks, read, said, uid, user, write

from recall_adapters import claude_records
from recall_adapters.claude_code import ClaudeTranscript
from recall_adapters.claude_records import read_records
from recall_plugin.domain.conversation import Role

HI = {"type": "user", "message": {"role": "user", "content": "hi"}}


def test_lines_that_are_no_object_are_counted_and_blank_ones_are_not(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(json.dumps(HI).encode() + b'\n\n \r\nnull\n[1]\n{"type":"assis')
    transcript = ClaudeTranscript(path)

    turns = list(transcript.turns())

    assert said(turns) == ["hi"]
    assert transcript.report.skipped_lines == 3
    assert transcript.report.size == path.stat().st_size


@pytest.mark.parametrize(
    "line", [b"null", b"[1]", b'"text"', b"12", b"true", b"{", b'{"type":"user"', b"NaN", b"\xff\xfe"]
)
def test_a_broken_line_costs_only_itself(tmp_path: Path, line: bytes) -> None:
    turns, transcript = read(tmp_path, user("One.", name="1"), line, user("Two.", name="2"))

    assert said(turns) == ["One.", "Two."]
    assert transcript.report.skipped_lines == 1


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param(lambda line: b"\xef\xbb\xbf" + line, id="after a byte order mark"),
        pytest.param(lambda line: b"\0\0\0\0" + line, id="after the zeros of a preallocated file"),
        pytest.param(lambda line: line + b"\r", id="with CRLF"),
        pytest.param(lambda line: b" \t" + line + b"  ", id="among spaces"),
        pytest.param(lambda line: line.replace(b":", b" : ").replace(b",", b" , "), id="with spaces inside"),
    ],
)
def test_a_line_is_read(tmp_path: Path, spelled: object) -> None:
    assert callable(spelled)
    line = spelled(json.dumps(HI, separators=(",", ":")).encode())

    turns, transcript = read(tmp_path, line, line)

    assert said(turns) == ["hi", "hi"]
    assert transcript.report.skipped_lines == 0


def test_a_last_line_without_its_line_feed_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HI)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))

    assert said(list(ClaudeTranscript(path).turns())) == ["hi"]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0c", "\x1c"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, separator: str) -> None:
    line = json.dumps(user(f"One{separator}two"), ensure_ascii=False).encode()

    turns, transcript = read(tmp_path, line)

    assert [text.replace("\x0c", "").replace("\x1c", "") for text in said(turns)] == [
        f"One{separator}two".replace("\x0c", "").replace("\x1c", "")
    ]
    assert transcript.report.skipped_lines == 0


def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    turns, _ = read(tmp_path, json.dumps(user("caf?")).encode().replace(b"caf?", b"caf\xe9"))

    assert said(turns) == ["caf\ufffd"]


def test_half_a_surrogate_pair_can_be_written_afterwards(tmp_path: Path) -> None:
    line = json.dumps(user("half: ?")).replace("?", "\\ud83d").encode()

    turns, _ = read(tmp_path, line)

    assert said(turns) == ["half: \ufffd"]


def test_a_raw_tab_in_a_string_is_no_reason_to_lose_the_words(tmp_path: Path) -> None:
    turns, _ = read(tmp_path, json.dumps(user("a?b")).replace("?", "\t").encode())

    assert said(turns) == ["a\tb"]


@pytest.mark.parametrize("digits", [4300, 4301, 100_000])
def test_an_integer_of_any_length_is_no_reason_to_lose_the_words(tmp_path: Path, digits: int) -> None:
    line = json.dumps(user("Words.", huge="?")).replace('"?"', "-" + "9" * digits).encode()

    turns, _ = read(tmp_path, line)

    assert said(turns) == ["Words."]


def test_a_line_that_is_nested_too_deeply_is_skipped(tmp_path: Path) -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    line = json.dumps(user("Words.", deep="?")).encode().replace(b'"?"', deep)

    turns, transcript = read(tmp_path, line, b'{"a":' * 100_000, user("After.", name="2"))

    assert said(turns) == ["After."]
    assert transcript.report.skipped_lines == 2


def test_a_line_that_is_too_long_is_skipped_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_records, "LONGEST_LINE", 1000)
    monkeypatch.setattr(claude_records, "_DRAIN", 64)
    exact = json.dumps(user("Just fits.")).encode()

    long, after, before = user("x" * 5000, name="long"), user("After.", name="2"), user("Before.", name="1")
    turns, transcript = read(tmp_path, before, long, after, exact + b" " * (1000 - len(exact)), exact + b" " * 991)

    assert said(turns) == ["Before.", "After.", "Just fits."]
    assert transcript.report.skipped_lines == 2


def test_a_person_may_paste_six_megabytes(tmp_path: Path) -> None:
    pasted = "12345 七 " * 700_000

    turns, _ = read(tmp_path, user(pasted))

    assert said(turns) == [pasted.strip()]


@pytest.mark.parametrize("twin", [False, True])
def test_an_answer_of_thirty_megabytes_is_clipped_in_bounded_memory(tmp_path: Path, twin: bool) -> None:
    text = "a line of output, \\ and more\n" * 1_000_000
    record = {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": text}]}}
    path = write(tmp_path / "s.jsonl", record | ({"toolUseResult": {"stdout": text}} if twin else {}))
    probe = (
        "import sys, pathlib\n"
        "from recall_adapters import open_transcript\n"
        "turn, = open_transcript(pathlib.Path(sys.argv[1])).turns()\n"
        "print(len(turn.text), 'characters left out' in turn.text)\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "print(*(line.split()[1] for line in status.open() if line.startswith('VmHWM')) if status.exists() else [0])\n"
    )

    done = subprocess.run([sys.executable, "-c", probe, str(path)], capture_output=True, text=True, check=True)

    shown, peak = done.stdout.splitlines()
    assert shown.endswith("True")
    assert int(shown.split()[0]) < 4100
    assert int(peak) < 256 * 1024  # kilobytes; a line is 30 or 60 MB


def test_a_transcript_is_not_held_in_memory(tmp_path: Path) -> None:
    big = "x" * 100_000
    records = [answers(big, id_=f"toolu_{n}", toolUseResult={"stdout": big}) for n in range(200)]
    path = write(tmp_path / f"{SESSION}.jsonl", *records)
    probe = (
        "import sys, tracemalloc, pathlib\n"
        "from recall_adapters.claude_code import ClaudeTranscript\n"
        "tracemalloc.start()\n"
        "count = sum(1 for _ in ClaudeTranscript(pathlib.Path(sys.argv[1])).turns())\n"
        "print(count, tracemalloc.get_traced_memory()[1])\n"
    )

    done = subprocess.run([sys.executable, "-c", probe, str(path)], capture_output=True, text=True, check=True)

    count, peak = map(int, done.stdout.split())
    assert count == 200
    assert peak < 5_000_000 < path.stat().st_size


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"type":"progress","data":{"type":"x"}}', "progress"),
        (b'{"parentUuid":"\\"type\\":\\"user\\"","isSidechain":false,"n":-1.5e3,"type":"progress","d":[]}', "progress"),
        (b'{"a":"\xff","type" : "file-history-snapshot", "snapshot":{}}', "file-history-snapshot"),
        (b'{"isSidechain":true,"type":"user","message":{}}', "user"),
    ],
)
def test_a_record_that_cannot_be_a_turn_is_known_by_its_first_pairs(line: bytes, kind: str) -> None:
    (record,) = read_records(io.BytesIO(line + b"\n"))
    (whole,) = read_records(io.BytesIO(line + b"\n"), whole=True)

    assert record.kind == whole.kind == kind
    assert record.fields in ({}, {"isSidechain": True})


@pytest.mark.parametrize(
    "line",
    [
        b'{"data":{"type":"progress"},"type":"user"}',
        b'{"data":[{"type":"progress"}],"type":"user"}',
        b'{"note":"{\\"type\\":\\"progress\\"","type":"user"}',
        b'{"note":"\\\\\\",\\"type\\":\\"progress","type":"user"}',
    ],
)
def test_the_type_of_something_inside_a_record_is_not_the_records(line: bytes) -> None:
    (record,) = read_records(io.BytesIO(line))

    assert record.kind == "user"
    assert record.fields["type"] == "user"


def test_a_torn_record_is_counted_even_where_it_could_not_be_a_turn(tmp_path: Path) -> None:
    _, transcript = read(tmp_path, b'{"type":"progress","data":{"type":"bash_pro')

    assert transcript.report.skipped_lines == 1


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", [b'{"a":"b",', b'{"a":"\\\\', b'"a":1,', b"{", b'{"type":'])
def test_no_line_is_slow_to_read(piece: bytes) -> None:
    line = b'{"a":1,' + piece * (2_000_000 // len(piece)) + b"}\n"

    assert [record.kind for record in read_records(io.BytesIO(line))] == [""]


@pytest.mark.parametrize("kind", [None, 7, 1.5, True, ["user"], {"type": "user"}, ""])
def test_a_type_that_is_no_text_is_an_unknown_type(tmp_path: Path, kind: object) -> None:
    turns, transcript = read(tmp_path, user("Words.") | {"type": kind}, user("More.", name="2"))

    assert said(turns) == ["More."]
    assert sum(transcript.report.unknown_types.values()) == 1


def test_a_record_without_a_type_is_an_unknown_type(tmp_path: Path) -> None:
    _, transcript = read(tmp_path, {"sessionId": SESSION})

    assert transcript.report.unknown_types == {"(no type)": 1}


def test_unknown_types_are_counted_and_do_not_fill_the_memory(tmp_path: Path) -> None:
    _, transcript = read(tmp_path, *({"type": f"hologram-{n % 300}"} for n in range(600)), {"type": "x" * 10_000})

    assert len(transcript.report.unknown_types) <= 101
    assert sum(transcript.report.unknown_types.values()) == 601


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("2026-03-06T23:30:00-05:00", datetime(2026, 3, 7, 4, 30, tzinfo=UTC)),
        ("2026-03-07T04:30:00", datetime(2026, 3, 7, 4, 30, tzinfo=UTC)),
        ("2026-03-07T04:30:00.000Z", datetime(2026, 3, 7, 4, 30, tzinfo=UTC)),
        (1772857800000, datetime(2026, 3, 7, 4, 30, tzinfo=UTC)),
        (1772857800, datetime(2026, 3, 7, 4, 30, tzinfo=UTC)),
        ("yesterday", None),
        (None, None),
        ([], None),
        (10**400, None),
    ],
)
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway"])
def test_the_time_of_a_turn_is_utc_in_every_time_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str, written: object, instant: datetime | None
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        turns, _ = read(tmp_path, user("Words.", timestamp=written))
    time.tzset()

    assert [turn.time for turn in turns] == [instant]


def test_a_turn_without_a_time_is_a_turn(tmp_path: Path) -> None:
    turns, _ = read(tmp_path, HI)

    assert [(turn.text, turn.time) for turn in turns] == [("hi", None)]


def test_turns_stand_in_the_order_of_the_file_though_times_go_backwards(tmp_path: Path) -> None:
    turns, _ = read(
        tmp_path, user("Late.", name="1", minute=9), agent("Early.", name="2", minute=1), user("Mid.", minute=5)
    )

    assert [turn.text for turn in turns] == ["Late.", "Early.", "Mid."]


def test_a_record_without_an_id_is_known_by_its_place_in_the_file(tmp_path: Path) -> None:
    first = {"type": "mode", "mode": "normal"}

    turns, _ = read(tmp_path, first, HI)

    assert [turn.id for turn in turns] == [f"@{len(json.dumps(first)) + 1}"]


@pytest.mark.parametrize("id_", ["", "two\nlines", "x" * 5000, "\ud800", 7, None, ["u"]])
def test_an_id_that_could_not_be_written_down_is_none(tmp_path: Path, id_: object) -> None:
    turns, _ = read(
        tmp_path, user("Words.", uuid=id_), asks("Bash", {}, id_=id_), answers("ok", id_=id_, uuid=uid("r"))
    )

    assert [turn.id for turn in turns if turn.role is Role.USER] == ["@0"]
    assert len({turn.id for turn in turns}) == len(turns)
