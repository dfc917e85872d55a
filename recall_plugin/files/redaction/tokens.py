"""Vendors' tokens: each announces itself by a prefix within a run of token characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from recall_plugin.files.redaction import token_rules
from recall_plugin.files.redaction.seen import KEY_CHARACTERS, LONGEST_GLUE, NAME_LETTERS, RUN, Span, Text, is_mixed, rx


@cache
def _prefixes() -> tuple[re.Pattern[str], dict[str, list[token_rules.TokenRule]]]:
    """One pattern of all prefixes, the longest first, branching on the first character; and the rules of each."""
    by_prefix: dict[str, list[token_rules.TokenRule]] = {}
    for rule in token_rules.TOKEN_RULES:
        for prefix in rule.prefixes:
            by_prefix.setdefault(prefix, []).append(rule)
    heads: dict[str, list[str]] = {"e": ["yJ"]}
    for prefix in sorted(by_prefix, key=len, reverse=True):
        heads.setdefault(prefix[0], []).append(re.escape(prefix[1:]))
    pattern = "|".join(f"{re.escape(head)}(?:{'|'.join(tails)})" for head, tails in heads.items())
    return re.compile(pattern), by_prefix


def tokens(seen: Text) -> Iterator[Span]:
    """The tokens that show by their shape: looked for around every run of 20 or more token characters."""
    text, raw, _, runs = seen
    start = runs.find(RUN)
    if start < 0:
        return
    pattern, by_prefix = _prefixes()
    done = 0
    while start >= 0:
        end = runs.find(b" ", start + 20)
        if end < 0:
            end = len(text)
        if not raw[start:end].translate(None, NAME_LETTERS):  # a name in lower case, a ruled line
            start = runs.find(RUN, end)
            continue
        at = max(done, start - 16)
        jwt_seen = text[end : end + 1] != "."
        while found := pattern.search(text, at, end):
            at = found.start() + 1
            if found.group() == "eyJ":  # the first of a run that ends in a dot may begin a JWT
                span = None if jwt_seen else _jwt(text, found.start())
                jwt_seen = True
            else:
                span = _token(text, found, by_prefix, found.start() - start > LONGEST_GLUE)
            if span:
                yield span
                at = max(at, span.end)
                if span.kind == "aws-access-key":
                    yield from _aws_secret_beside(text, span)
            if at >= end:
                break
        yield from _shapes(text, start, end)
        end = max(end, at)
        done = end
        start = runs.find(RUN, end)


def _token(
    text: str, found: re.Match[str], by_prefix: dict[str, list[token_rules.TokenRule]], in_blob: bool
) -> Span | None:
    """The token that the prefix announces. in_blob: much text of the run stands before it, as in long base64."""
    for rule in by_prefix[found.group()]:
        start = found.start()
        body = rx(rule.body).match(text, found.end())
        if body is None or ((rule.word_start or in_blob) and not _word_starts(text, start)):
            continue
        value = body.group()
        if len(set(value)) < min(6, len(value)) or (rule.digit and not any(map(str.isdigit, value[:300]))):
            continue
        if rx(r"(?i)your[-_]|xxxxx|\*\*\*|\.\.\.").search(value):
            continue
        if rule.left:
            alphabet, least, most = rule.left
            left = text[max(0, start - most) : start]
            length = len(left) - len(left.rstrip(alphabet))
            if length < least:
                continue
            start -= length
        tail = rx(r"[A-Za-z0-9_-]*+").match(text, body.end())
        return Span(start, tail.end() if tail and not rule.left else body.end(), rule.kind)
    return None


def _word_starts(text: str, at: int) -> bool:
    """True where a word begins: after no word character, or after an escape such as `\\n`, `%3D` or a colour code."""
    if at == 0:
        return True
    before = text[at - 1]
    if before not in KEY_CHARACTERS or before == ".":
        return True
    return bool(
        rx(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u00[0-9a-f]{2}|\[[0-9;]{1,8}m)\Z").search(text[max(0, at - 10) : at])
    )


def _jwt(text: str, at: int) -> Span | None:
    """A signed JWT (or its first two parts), an encrypted one, or a cookie signed in the same manner."""
    found = rx(
        r"eyJ[A-Za-z0-9_-]{5,}+\.(?:eyJ[A-Za-z0-9_-]{12,}+(?:\.[A-Za-z0-9_-]*+)?"
        r"|[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]++){3}|[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,43}(?![A-Za-z0-9_-]))"
    ).match(text, at)
    return Span(at, found.end(), "jwt") if found else None


def _shapes(text: str, start: int, end: int) -> Iterator[Span]:
    """The tokens without a prefix, by the exact length of the run."""
    if text[start] in "nrt" and text[start - 1 : start] == "\\":  # the letter belongs to an escaped newline
        start += 1
    length = end - start
    if length == 64 and text[start - 1 : start] == ".":
        found = rx(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))pat[A-Za-z0-9]{14}\.[0-9a-f]{64}").match(text, max(0, start - 18))
        if found:
            yield Span(found.start(), found.end(), "airtable-token")
    elif length == 50:
        if rx(r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}").match(text, start):
            yield Span(start, end, "mailgun-key")
    elif 23 < length < 31 and text[start] in "MNO" and text[end : end + 1] == ".":
        found = rx(r"[MNO][A-Za-z0-9_-]{23,29}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}").match(text, start)
        if found:
            yield Span(start, found.end(), "discord-token")
    elif length >= 66 and text.startswith("K10", start):
        found = rx(r"K10[0-9a-f]{64}::[\w-]{1,40}:[0-9A-Za-z]{16,64}").match(text, start)
        if found:
            yield Span(start, found.end(), "k3s-token")


def _aws_secret_beside(text: str, span: Span) -> Iterator[Span]:
    """The 40 characters of mixed case near an access key id are its secret."""
    first = max(0, span.start - 120)
    for found in rx(r"(?:(?<![A-Za-z0-9/+=])|(?<=\\[nrt]))[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])").finditer(
        text, first, span.end + 160
    ):
        value = found.group()
        if is_mixed(value) and not rx(r"(?:/[a-z._]{2,}){2}").search(value):
            yield Span(found.start(), found.end(), "aws-secret-key")
