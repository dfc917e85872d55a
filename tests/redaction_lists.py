"""The lists of what is a secret and what is none.

The rows of tests/data/redaction hold their made-up secrets in pieces, so that no scanner takes them for real ones.
In a row, ⟦S⟧ stands for the secret, and ⟦1⟧, ⟦2⟧, … for the others that the text holds.

What may go either way, and how it is decided: a weak word under the name of a password ("changeme", "postgres") is a
password that opens doors, and goes; a word that says nothing ("password", "secret", "example") and a placeholder
("<your-key>", "xxxx", "your-key-here", $VARIABLE) stay.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "redaction"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def positive(row: dict[str, Any]) -> tuple[str, str, Counter[str]]:
    """The text of a row, what is expected of it, and the kinds that are found in it."""
    text = expected = row["text"]
    secrets = [("S", row["kind"], row["secret"])]
    secrets += [(str(index), kind, pieces) for index, (kind, *pieces) in enumerate(row.get("also", []), 1)]
    for label, kind, pieces in secrets:
        text = text.replace(f"⟦{label}⟧", "".join(pieces))
        expected = expected.replace(f"⟦{label}⟧", f"[redacted: {kind}]")
    return text, expected, Counter(kind for _, kind, _ in secrets)


POSITIVES = rows("positives.jsonl")
NEGATIVES = [row["text"] if isinstance(row["text"], str) else "".join(row["text"]) for row in rows("negatives.jsonl")]
