"""Whether a value is a secret, by its shape and its place."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from typing import NamedTuple

from recall_plugin.files.redaction import value_rules
from recall_plugin.files.redaction.names import Promise
from recall_plugin.files.redaction.seen import is_mixed, rx


class Place(NamedTuple):
    """Where a value stands.

    style: the group of `_NAME` that led to it.
    quoted: it stands in quotes.
    literal: it is unquoted where text needs no quotes (a shell assignment, a query, a flag, YAML), so it is no code.
    env: it is assigned to a name in capitals, the way the environment is.
    prose: more words follow on its line.
    """

    style: str
    quoted: bool
    literal: bool
    env: bool
    prose: bool


def is_secret(name: Promise, key: str, value: str, place: Place) -> bool:
    """Whether the value that stands under `key` is what its name promises."""
    if len(value) < 3 or is_harmless(value, place):
        return False
    if name.level == "mnemonic":
        return bool(rx(r"(?:[a-z]{3,9}[ ,]{1,2}){11,23}[a-z]{3,9}").fullmatch(value))
    if name.level == "auth":
        return is_basic(value)
    if place.style == "next":
        return is_random(value, 8 if name.level == "password" else 16) and not rx(r".*[=(].").match(value)
    if name.level in {"password", "pass"}:
        return _is_password(value, key, place, name.level == "pass")
    return _is_key(name, key, value, place)


def _is_key(name: Promise, key: str, value: str, place: Place) -> bool:
    """True for what may be a token or a key: it must look random, the more so the less its name and place promise."""
    if name.kind == "aws-secret-key" and rx(r"[A-Za-z0-9+/]{40}").fullmatch(value) and is_mixed(value):
        return True
    if place.style in {"space", "comma", "call", "table"} and not key.startswith("-"):
        if not place.quoted and not is_mixed(value) and not (name.level == "strong" and len(value) > 30):
            return False
        return is_random(value, 20 if place.style == "space" and not place.quoted else 16)
    if place.env and "secret" in key.lower() and len(value) >= 8 and not is_wordy(value, 2):
        return True
    free = place.quoted or place.literal
    if name.level == "weak":
        return not rx(r"[\[\](){}|\\]").search(value) and is_random(value, 10 if free else 16)
    return is_random(value, 8 if free else 12)


def is_harmless(value: str, place: Place) -> bool:
    """True for a placeholder, a reference to where the secret is, a piece of code, a path or a masked secret."""
    if (
        value.lower().strip(".:!?") in value_rules.WORD_VALUES
        or rx(value_rules.PLACEHOLDER).fullmatch(value)
        or rx(value_rules.ELSEWHERE).match(value)
        or rx(value_rules.MASKED).search(value)
    ):
        return True
    if rx(value_rules.PATH).match(value) and not (len(value) >= 30 and value.count("/") < 4 and is_mixed(value)):
        return True
    if place.quoted:
        return value[0] in " )],;}" or bool(rx(r"[^\s]{0,40}(?:\$\{|\{\{|<%)[^\s]*|%\(?\w*\)?s").fullmatch(value))
    return bool(rx(value_rules.VERSION).fullmatch(value)) or (
        not place.env and place.style != "xml" and _is_code(value)
    )


def _is_code(value: str) -> bool:
    """True for a call, an index or a dotted name."""
    if rx(r"[*&!]?[A-Za-z_$][\w$.:>?!-]{0,80}[(\[<]").match(value) or "->" in value or "::" in value:
        return True
    dotted = rx(r"[*&!]?[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$-]*)+").fullmatch(value)
    return bool(dotted) and all(is_wordy(part, 1) for part in value.split("."))


def is_wordy(value: str, least: int) -> bool:
    """True for a name made of at least `least` words: they may end in a few digits, and are long on average."""
    pieces = [piece for piece in rx(r"[-_./:+ ]+|(?<=[a-z])(?=[A-Z])").split(value[:200]) if piece]
    if len(pieces) < least or sum(map(len, pieces)) < 3 * len(pieces):
        return False
    return all(rx(r"[A-Za-z]+\d{0,3}|\d{1,4}|[vV]\d+").fullmatch(piece) for piece in pieces)


def _is_password(value: str, key: str, place: Place, doubtful: bool) -> bool:
    """True for what may be a password: almost anything where text is literal, a mixture of characters elsewhere."""
    if " " in value.strip() or "\t" in value:
        return place.quoted and (place.env or _is_passphrase(value, key))
    digit = any(map(str.isdigit, value))
    symbol = bool(rx(r"[!@#$%^&*+=~?/]").search(value))
    keyish = bool(rx(r"(?i)pass|pwd|secret|token|\bkey|cred").search(value)) and is_wordy(value.lstrip("#.@"), 1)
    if place.quoted and place.style in {"op", "typed", "pair"}:
        return (digit or symbol or not doubtful) and not (keyish and (is_wordy(value, 2) or not digit))
    if place.literal and not place.quoted:
        if place.style == "space" and value.isalpha() and (place.prose or value.lower() in value_rules.FLAG_WORDS):
            return False
        return digit or (not doubtful and (place.env or not keyish))
    if place.quoted and ((place.style == "space" and key.isupper()) or (place.style == "comma" and place.literal)):
        return True
    strict = doubtful or place.prose or place.style not in {"op", "typed"}
    return not keyish and not (doubtful and place.style == "space") and _is_mixture(value, strict)


def _is_passphrase(value: str, key: str) -> bool:
    """True for a password with spaces in it, and not for a label or a sentence."""
    if "phrase" in key.lower():
        return value.islower() and value.count(" ") >= 2
    if rx(r"[a-z]{4}(?: [a-z]{4}){3}").fullmatch(value):  # an app password of Google's
        return True
    mix = rx(r"(?:(?=\S*[A-Za-z])(?=\S*\d)|(?=\S*[A-Za-z])(?=\S*[@#$%^&*]))\S{5,}").search(value)
    return mix is not None and value.count(" ") < 3 and not value.endswith((".", ":", "?"))


def _is_mixture(value: str, strict: bool) -> bool:
    """True for letters mixed with digits or symbols that are no name and no technical term."""
    if rx(value_rules.TECH_WORD).fullmatch(value):
        return False
    if value.isdigit():
        return len(value) >= 6 and not strict
    if is_wordy(value, 2) and not rx(r"[A-Za-z]+\d\w*").fullmatch(value):
        return False
    mixed = any(map(str.isdigit, value)) or (not strict and bool(rx(r"[!@#$%^&*+=~?/]").search(value)))
    return mixed and any(map(str.isalpha, value)) and len(value) >= (6 if strict else 5)


def is_random(value: str, least: int) -> bool:
    """True for a value that nobody would have chosen as a name."""
    if rx(r"(?=[^+]*\+)[A-Za-z0-9+/]{32,4096}={0,2}").fullmatch(value) and is_mixed(value):
        return True  # base64, though chance made its pieces look like words
    if len(value) < least or is_wordy(value, 1) or len(set(value)) < 5:
        return False
    sample = value[:400]
    if rx(r"\s").search(value):  # the salts of WordPress have spaces in them
        return len(value) >= 32 and is_mixed(value) and 6 * len(rx(r"[^\w\s.,:;'()-]").findall(sample)) > len(sample)
    if any(map(str.isdigit, value)):
        return any(map(str.isalpha, value)) and "abcdefghijk" not in value.lower()
    if value.islower() or value.isupper() or "abcdefghijk" in value.lower():
        return False
    if rx(r"[+/=!@#$%^&*~]").search(value):
        return len(value) >= 12
    return len(value) >= 20 and 3 * len(rx(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])").findall(sample)) >= len(sample)


def is_basic(value: str) -> bool:
    """True for the base64 of "user:password"."""
    if not rx(r"[A-Za-z0-9+/_-]{7,4096}={0,2}").fullmatch(value):
        return False
    try:
        plain = a2b_base64(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4))
    except (Base64Error, ValueError):
        return False
    return b":" in plain[1:] and all(32 <= byte < 127 for byte in plain)
