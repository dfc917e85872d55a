"""What the name of a value promises."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recall_plugin.files.redaction import name_rules, token_rules
from recall_plugin.files.redaction.seen import rx


class Promise(NamedTuple):
    """What a name promises. level: "password", "pass", "strong", "weak", "auth" or "mnemonic"; "" for no secret."""

    level: str
    kind: str


_NO_SECRET = Promise("", "")


@lru_cache(maxsize=4096)
def promise_of(key: str, spoken: bool) -> Promise:
    """The promise of a name. spoken: its words stood apart ("the API key"), so only a full name counts as strong."""
    norm = rx(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-. ]+").sub("_", key).lower().strip("_")
    for pattern, level, kind in (
        (name_rules.PASSWORD_NAME, "password", "password"),
        (name_rules.PASS_NAME, "pass", "password"),
        (name_rules.AUTH_NAME, "auth", "secret-value"),
        (name_rules.MNEMONIC_NAME, "mnemonic", "mnemonic"),
    ):
        if rx(pattern).search(norm):
            return Promise(level, kind)
    level = _strength(key, norm, spoken)
    kind = next((kind for part, kind in token_rules.KIND_BY_NAME if part in norm), "secret-value")
    return Promise(level, kind) if level else _NO_SECRET


def _strength(key: str, norm: str, spoken: bool) -> str:
    """How much a name of a token, a secret or a key promises: "strong", "weak" or nothing."""
    level = ""
    if rx(name_rules.TOKEN_NAME).search(norm):
        if not rx(name_rules.NOT_A_SECRET_TOKEN).search(norm):
            level = "weak" if spoken or norm == "token" else "strong"
    elif rx(name_rules.SECRET_NAME).search(norm):
        level = "weak" if spoken or norm in {"secret", "secrets"} else "strong"
    elif rx(name_rules.NOT_A_SECRET_KEY).search(norm):
        level = ""
    elif rx(name_rules.KEY_NAME).search(norm):
        level = "strong"
    elif rx(name_rules.CREDENTIALS_NAME).search(norm) or (key.isupper() and norm.endswith(("_pat", "_key"))):
        level = "weak"
    return level
