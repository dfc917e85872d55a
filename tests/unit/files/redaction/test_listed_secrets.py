"""What the lists hold: every secret vanishes, what is none stays, in plain text and in JSON."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from redaction_lists import NEGATIVES, POSITIVES, positive

from recall_plugin.files.redaction import KINDS, redact, redact_counted


@pytest.mark.parametrize("row", POSITIVES, ids=lambda row: row["kind"])
def test_exactly_the_secret_is_replaced_by_the_marker_of_its_kind(row: dict[str, Any]) -> None:
    text, expected, kinds = positive(row)
    found, counts = redact_counted(text)
    assert found == expected
    assert counts == kinds
    assert redact(found) == found


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_no_secret_comes_back_unchanged(text: str) -> None:
    assert redact_counted(text) == (text, Counter())


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert len(POSITIVES) >= 150
    assert len({row["kind"] for row in POSITIVES}) >= 50
    assert len(NEGATIVES) >= 150
    assert {row["kind"] for row in POSITIVES} <= KINDS


def test_all_positives_in_one_text_are_found_as_well() -> None:
    texts, expected, _ = zip(*map(positive, POSITIVES), strict=True)
    assert redact("\n\n".join(texts)) == "\n\n".join(expected)


@pytest.mark.parametrize("row", POSITIVES, ids=lambda row: row["kind"])
def test_a_secret_is_found_in_text_that_was_put_into_json(row: dict[str, Any]) -> None:
    text, _, _ = positive({**row, "text": f"x\n{row['text']}\ny"})
    elsewhere, _, _ = positive({**row, "text": f"x\n{row['text']}\ny", "secret": [""]})
    secret = json.dumps("".join(row["secret"]))[1:-1]
    found = redact(json.dumps(text))
    assert found.count(secret) == json.dumps(elsewhere).count(secret)


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_no_secret_is_none_in_json_either(text: str) -> None:
    assert redact(json.dumps(text)) == json.dumps(text)
    assert redact(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("length", [300, 5000, 100_000])
def test_a_long_value_goes_to_its_end(length: int) -> None:
    value = ("aB3dE5fG7h" * (length // 10 + 1))[:length]
    assert redact(f'API_SECRET="{value}" x') == 'API_SECRET="[redacted: secret-value]" x'
    assert redact(f"API_SECRET={value} x") == "API_SECRET=[redacted: secret-value] x"
