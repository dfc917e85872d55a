"""Writes a large transcript in the shape of Claude Code's: mostly tool output and its twins, some talk."""

from __future__ import annotations

import json
import random
from pathlib import Path

_SENTENCE = "the parser reads every row of a table and drops what the pilots never asked for in quay metres"
_WORDS = _SENTENCE.split()


def write_big(path: Path, megabytes: float, *, talk: float = 0.08) -> None:
    """`path` holds a transcript of about so many megabytes. talk: the share of the bytes that people and agent said."""
    rng = random.Random(11)
    said = written = number = 0
    with path.open("w", encoding="utf-8") as file:
        while written < megabytes * 1e6:
            number += 1
            if said < talk * written or number < 3:
                records = _exchange(rng, number)
                said += sum(map(len, records))
            else:
                records = _tool(rng, number)
            for record in records:
                written += file.write(record)


def _base(number: int, part: int) -> dict[str, object]:
    return {
        "parentUuid": f"{number:08d}-0000-4000-8000-{part:012d}", "isSidechain": False,
        "uuid": f"{number:08d}-0000-4000-9000-{part:012d}", "timestamp": f"2026-11-{1 + number % 28:02d}T09:00:00.000Z",
        "cwd": "/home/ada/harbor", "sessionId": "big", "version": "2.1.262", "gitBranch": "main",
    }  # fmt: skip


def _prose(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words)).capitalize() + "."


def _exchange(rng: random.Random, number: int) -> list[str]:
    user = {**_base(number, 1), "type": "user", "message": {"role": "user", "content": _prose(rng, 60)}}
    answer = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": _prose(rng, 150)}]}
    return [
        json.dumps(record) + "\n" for record in (user, {**_base(number, 2), "type": "assistant", "message": answer})
    ]


def _tool(rng: random.Random, number: int) -> list[str]:
    output = "\n".join(f"{line:5d}\t{_prose(rng, 9)}" for line in range(rng.randrange(20, 300)))
    use = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "Read",
        "input": {"file_path": f"/home/ada/{number}.py"},
    }
    asked = {**_base(number, 1), "type": "assistant", "message": {"role": "assistant", "model": "m", "content": [use]}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output}
    answered = {
        **_base(number, 2), "type": "user", "message": {"role": "user", "content": [result]},
        "toolUseResult": {"type": "text", "file": {"content": output}},
    }  # fmt: skip
    return [json.dumps(record) + "\n" for record in (asked, answered)]
