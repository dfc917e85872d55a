"""Redaction takes time in proportion to the length of the text, and little of it."""

from __future__ import annotations

import base64
import json
import random
import time
from pathlib import Path

import pytest

from recall_plugin.files.redaction import redact

MEGABYTE = 1_000_000
UNITS = (
    *(
        "key=",
        "token:",
        'password="',
        "://a:b@",
        "ey" + "J",
        "ey" + "Ja.",
        "sk-ant-",
        "-----BEG" + "IN PRIVATE KEY-----\n",
    ),
    *(
        "-----E" + "ND PRIVATE KEY-----",
        "PuTTY-User-Key-File-2: x\n",
        "password: str = ",
        " ",
        "cookie: a=",
        "\\",
        "mysql -p",
    ),
)


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    text = (unit * (MEGABYTE // 2 // len(unit) + 1))[: MEGABYTE // 2]
    start = time.perf_counter()
    redact(text)
    assert time.perf_counter() - start < 10  # about 0.3 s; a quadratic rule takes minutes


@pytest.mark.parametrize("kind", ["a", "=", "base64"])
def test_five_megabytes_of_nothing_pass_quickly_and_unchanged(kind: str) -> None:
    if kind == "base64":
        text = base64.b64encode(random.Random(1).randbytes(5 * MEGABYTE * 3 // 4)).decode()
    else:
        text = kind * (5 * MEGABYTE)
    start = time.perf_counter()
    assert redact(text) == text
    assert time.perf_counter() - start < 10


def test_typical_text_is_read_at_megabytes_per_second() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path(json.__file__).parent.parent.glob("[a-h]*.py"))]
    redact(sources[0])
    start = time.perf_counter()
    for text in sources:
        redact(text)
    speed = sum(map(len, sources)) / (time.perf_counter() - start) / MEGABYTE
    assert speed > 3  # 25 to 33 on an idle core; the bound leaves room for a busy machine
