"""What Claude Code tells a hook on stdin. The samples are of 2.1.251 (2026-08-31)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_adapters.claude_hooks import HookPayload, parse_payload
from recall_plugin.errors import UsageError

SAMPLES = Path(__file__).parents[1] / "samples" / "claude-code" / "hooks"


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda path: path.stem)
def test_a_sample_is_read(sample: Path) -> None:
    fields = json.loads(sample.read_bytes())

    payload = parse_payload(sample.read_bytes())

    assert payload == HookPayload(
        session_id=fields["session_id"],
        transcript_path=Path(fields["transcript_path"]),
        cwd=fields["cwd"],
        event=fields["hook_event_name"],
        reason=fields.get("reason", ""),
        trigger=fields.get("trigger", ""),
    )


@pytest.mark.parametrize("data", [b"{}", b'{"session_id": null, "transcript_path": "", "later": [1]}'])
def test_what_was_not_sent_is_empty(data: bytes) -> None:
    assert parse_payload(data) == HookPayload("", None, "", "", "", "")


def test_a_byte_order_mark_and_crlf_do_no_harm() -> None:
    assert parse_payload(b'\xef\xbb\xbf{\r\n"session_id": "s"\r\n}\r\n').session_id == "s"


def test_integers_of_any_length_do_no_harm() -> None:
    assert parse_payload(b'{"session_id": "s", "n": ' + b"9" * 10_000 + b"}").session_id == "s"


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert parse_payload(b'{"cwd": "/caf\xe9"}').cwd == "/caf\ufffd"


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_joined() -> None:
    assert parse_payload(b'{"cwd": "/\\ud83d/\\ud83d\\ude00"}').cwd == "/\ufffd/\U0001f600"


def test_the_home_folder_is_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/dev")

    assert parse_payload(b'{"transcript_path": "~/s.jsonl"}').transcript_path == Path("/home/dev/s.jsonl")
    assert parse_payload(b'{"transcript_path": "~nobody-here/s"}').transcript_path == Path("~nobody-here/s")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is empty"),
        (b" \r\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"{", r"is not JSON: .* \(line 1, column 2\)"),
        (b'{"session_id": "s"', "is not JSON"),
        (b"[1]", "a JSON array, not an object"),
        (b"null", "a JSON null, not an object"),
        (b"12", "a JSON number, not an object"),
        (b'"s"', "a JSON string, not an object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"session_id": 7}', "session_id is a JSON number, not a string"),
        (b'{"cwd": true}', "cwd is a JSON boolean, not a string"),
        (b'{"transcript_path": {}}', "transcript_path is a JSON object, not a string"),
        (b'{"hook_event_name": []}', "hook_event_name is a JSON array, not a string"),
    ],
)
def test_what_is_wrong_is_named(data: bytes, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        parse_payload(data)

    assert caught.value.hint


@given(st.binary() | st.text().map(str.encode))
def test_anything_is_read_or_refused(data: bytes) -> None:
    try:
        payload = parse_payload(data)
    except UsageError:
        return
    assert isinstance(payload, HookPayload)


def test_a_hook_pays_for_no_import_that_it_does_not_need() -> None:
    probe = (
        "import sys; before = set(sys.modules); import recall_adapters.claude_hooks; print(*set(sys.modules) - before)"
    )

    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())
    ours = {name for name in loaded if name.startswith("recall_")}
    constants = {"recall_plugin.domain", "recall_plugin.domain.defaults"}
    assert (
        ours == {"recall_adapters", "recall_adapters.claude_hooks", "recall_plugin", "recall_plugin.errors"} | constants
    )
    assert not loaded & {"hashlib", "datetime", "mmap", "typing", "asyncio", "logging"}
