"""Files of ours that carry a seal in their last line, so that a cut or altered one is recognised."""

from __future__ import annotations

import hashlib
import re

_SEAL = re.compile(r"<!-- recall:sealed sha256=([0-9a-f]{64}) -->\n\Z")


def seal(text: str) -> bytes:
    """`text`, which ends in a newline, with its seal after it."""
    return f"{text}<!-- recall:sealed sha256={_digest(text)} -->\n".encode()


def unseal(data: bytes) -> str | None:
    """The text before the seal, or None where the seal is missing or is not that text's."""
    text = data.decode("utf-8", "replace")
    match = _SEAL.search(text)
    if match is None or _digest(text[: match.start()]) != match.group(1):
        return None
    return text[: match.start()]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
