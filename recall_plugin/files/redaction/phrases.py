"""Secrets in headers, URLs, commands, sentences and cookies."""

from __future__ import annotations

from collections.abc import Iterator

from recall_plugin.files.redaction import name_rules
from recall_plugin.files.redaction.named import value_at
from recall_plugin.files.redaction.names import promise_of
from recall_plugin.files.redaction.seen import Span, Text, bytes_rx, hits, is_mixed, rx
from recall_plugin.files.redaction.values import Place, is_basic, is_harmless, is_random, is_wordy

_CREDENTIAL = r"([A-Za-z0-9._~+/=:|-]{4,8192}+)"
_HEADER = Place("op", True, False, False, False)


def authorization(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The credentials of Authorization headers; the scheme stays."""
    pattern = rx(
        r"(?i)authorization\\{0,3}[\"'`]?\]?\s{0,4}(?:[:=,]|=>)\s{0,4}\[?(?:\\{0,3}[\"'`])?"
        rf"(?:([a-z][\w-]{{1,20}}) {{1,3}}(?!=))?{_CREDENTIAL}"
    )
    for hit in hits(seen.low, word, at):
        found = pattern.match(seen.text, hit)
        if not found or seen.text[found.end() : found.end() + 1] in {"(", "["}:
            continue
        scheme, value = (found[1] or "").lower(), found[2].rstrip(".,:")
        if is_harmless(value, _HEADER) or is_wordy(value, 1):
            continue
        if scheme in name_rules.SCHEMES:
            fits = len(value) >= 20 or (len(value) >= 6 and any(map(str.isdigit, value)))
        elif scheme == "basic":
            fits = is_basic(value) or is_random(value, 8)
        else:
            fits = is_random(value, 16)
        if fits:
            yield Span(found.start(2), found.start(2) + len(value), "authorization")


def schemes(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The credentials that stand after Bearer or Basic outside of a header."""
    pattern = rx(_CREDENTIAL)
    for hit in hits(seen.low, word, at):
        found = pattern.match(seen.text, hit + len(word))
        if not found:
            continue
        value = found.group().rstrip(".,:")
        if (word == b"basic " and is_basic(value)) or (
            word == b"bearer " and is_random(value, 16) and not is_harmless(value, _HEADER)
        ):
            yield Span(found.start(), found.start() + len(value), "authorization")


_URL_SECRETS = (
    ("slack-webhook", r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,200})"),
    (
        "discord-webhook",
        r"(?:\w{1,20}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,25}/([A-Za-z0-9_-]{40,120})",
    ),
    ("teams-webhook", r"[\w.-]{1,60}\.webhook\.office\.com/(?:webhookb2/)?([\w@/.-]{40,400})"),
    ("zapier-webhook", r"hooks\.zapier\.com/hooks/catch/([\w/]{8,60})"),
)


def urls(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The passwords of URLs, and the URLs that are secrets themselves (webhooks)."""
    text = seen.text
    userinfo = rx(r"([^\s/?#:@\"'`<>\\]{0,100}+):([^\s/\"'`\\]{1,256})@(?=[\w\[$%{<*/])")
    alone = rx(r"([A-Za-z0-9_-]{24,128}+)@")
    for hit in hits(seen.low, word, at):
        start = hit + 3
        if seen.low.find(b"@", start, start + 360) >= 0:
            if found := userinfo.match(text, start):
                value = found[2]
                if not is_harmless(value, _HEADER) and not value.startswith(("$", "%(", "{")):
                    yield Span(found.start(2), found.end(2), "url-password")
            elif (found := alone.match(text, start)) and is_mixed(found[1]):
                yield Span(found.start(1), found.end(1), "url-password")
        if seen.low.find(b"hook", start, start + 80) >= 0:
            for kind, source in _URL_SECRETS:
                if webhook := rx(source).match(text, start):
                    yield Span(webhook.start(1), webhook.end(1), kind)


def signatures(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The signatures that make a URL a key: Azure's SAS, and presigned URLs of S3 and Google."""
    kind = "azure-sas" if word == b"sig=" else "signed-url"
    pattern = rx(r"[A-Za-z0-9%+/=_~-]{27,}+")
    reached = 0
    for hit in hits(seen.low, word, at):
        if hit < reached:
            continue
        before = seen.text[hit - 1 : hit]
        found = pattern.match(seen.text, hit + len(word))
        if found and (before in set("?&;-") or not before) and not is_wordy(found.group(), 1):
            reached = found.end()
            yield Span(found.start(), reached, kind)


def braintree(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The access tokens of Braintree, which dollars hold together."""
    pattern = rx(r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}")
    for hit in hits(seen.low, word, at):
        if found := pattern.match(seen.text, hit):
            yield Span(hit, found.end(), "braintree-token")


_FLAGS: dict[str, tuple[tuple[bytes, ...], tuple[bytes, ...]]] = {
    # the flag: the commands whose password is glued to it, and those whose password follows it
    "p": (
        (b"mysql", b"mariadb", b"sshpass", b"7z"),
        (b"sshpass", b" login", b"twine", b"service-principal", b"mongo", b"cqlsh", b"rdesktop", b"wp "),
    ),
    "P": ((), (b"sqlcmd", b"bcp ", b"mosquitto_", b"ipmitool", b"zip ", b"ssh-keygen")),
    "w": ((), (b"ldap",)),
    "a": ((), (b"redis-cli",)),
    "N": ((), (b"ssh-keygen",)),
}


def flags(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The passwords after a flag of one letter, where the command is one that takes them there."""
    text, low = seen.text, seen.low
    for found in bytes_rx(rb" -(?:[awn] |[pu])").finditer(low, at):
        hit = found.start()
        flag, after = text[hit + 2], text[hit + 3 : hit + 4]
        if flag in "uU":
            yield from _users(seen, b" -u", hit)
        elif flag in _FLAGS and after and after != "\n":
            first = max(low.rfind(b"\n", max(0, hit - 200), hit), hit - 200, 0)
            if any(low.find(name, first, hit) >= 0 for name in _FLAGS[flag][after == " "]):
                yield from _flag_value(text, hit + 4 if after == " " else hit + 3)


def _flag_value(text: str, at: int) -> Iterator[Span]:
    """The password that a command takes at `at`."""
    start, end, _ = value_at(text, at, "flag")
    value = text[start:end]
    if len(value) > 2 and not value.startswith("-") and not is_harmless(value, _HEADER):
        yield Span(start, end, "password")


def _users(seen: Text, word: bytes, hit: int) -> Iterator[Span]:
    """The password of `curl -u user:password` or `smbclient -U user%password` at the hit."""
    low, text = seen.low, seen.text
    curl = r"(?: |=|)[\"']?[^\s:\"'$]{1,100}:([^\s\"'`$<{][^\s\"'`]{0,255})"
    samba = r"[ =][\"']?[^\s:\"'$%]{1,100}%([^\s\"'`$<{%][^\s\"'`]{0,255})"
    for names, source in (((b"curl",), curl), ((b"smb", b"rpcclient"), samba)):
        if any(low.rfind(name, max(0, hit - 300), hit) >= 0 for name in names):
            found = rx(source).match(text, hit + len(word))
            if found and not is_harmless(found[1], _HEADER):
                yield Span(found.start(1), found.end(1), "password")


def user_options(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The passwords of `curl --user user:password`, `--proxy-user` too."""
    for hit in hits(seen.low, word, at):
        yield from _users(seen, word, hit)


PHRASES = {
    b"identified": (
        r"(?i)identified\s{1,9}(?:with\s{1,9}\S{1,40}\s{1,9})?by\s{1,9}(?:password\s{1,9})?\\?['\"]([^'\"\n\\]{1,256})"
    ),
    b":5432:": r":5432:[\w*-]{1,64}:[\w*-]{1,64}:([^\s:\"'`$]{3,256})(?=\s|\Z|\\n)",
    b"wpa_passphrase": r"wpa_passphrase [\"']?[^\s\"']{1,64}[\"']? {1,4}[\"']?([^\s\"'$]{8,64})",
    b"securestring": r"(?i)securestring(?: -string)? {1,4}[\"']([^\s\"'$]{3,256})",
    b"echo ": (
        r"echo (?:-\w{1,3} )?\\{0,3}[\"']?(?:[\w.-]{1,40}:)?([^\s\"'`$|<>:;&(){}\\]{3,256})\\{0,3}[\"']? ?\| ?"
        r"(?=[^|\n;&]{0,100}(?:chpasswd|passwd --stdin|sudo -\w{0,3}S|--password-stdin|--passphrase-fd|--with-token))"
    ),
}


def phrases(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The passwords that a fixed phrase announces: IDENTIFIED BY, the lines of .pgpass, what is piped to passwd, …"""
    pattern = rx(PHRASES[word])
    for hit in hits(seen.low, word, at):
        found = pattern.match(seen.text, hit)
        if found and not is_harmless(found[1], _HEADER):
            yield Span(found.start(1), found.end(1), "password")


def inserts(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The values that an SQL INSERT puts into the columns named like secrets."""
    statement = rx(r"(?i)insert into\s{1,9}[\w.`\"\[\]]{1,80}\s{0,9}\(([^()]{1,1000})\)\s{0,9}values\s{0,9}(?=\()")
    row = rx(r"[\s,]{0,9}\(((?:'(?:[^'\\\n]|''|\\.){0,1000}+'|[^'()\n]){0,200}+)\)")
    for hit in hits(seen.low, word, at):
        if not (found := statement.match(seen.text, hit)):
            continue
        names = [promise_of(column.strip(' \t\n`"[]'), False) for column in found[1].split(",")]
        reached = found.end()
        while any(name.level for name in names) and (values := row.match(seen.text, reached)):
            reached = values.end()
            items = list(rx(r"\s*(?:'((?:[^'\\\n]|''|\\.)*+)'|([^',]*+))\s*,?").finditer(values[1]))
            for name, item in zip(names, items, strict=False):
                if name.level and item[1] and len(item[1]) > 2 and not is_harmless(item[1], _HEADER):
                    start = values.start(1) + item.start(1)
                    yield Span(start, start + len(item[1]), name.kind)


def cookies(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The session cookies of Cookie and Set-Cookie headers."""
    reached = 0
    header = rx(r"(?i)cookie\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?=[\w.-]{1,60}=)")
    pair = rx(r"([\w.-]{0,60}(?:(?i:sess|auth|token|jwt|remember)[\w.-]{0,40}|(?i:sid)))=([\w%.~+/=:-]{12,4096})")
    for hit in hits(seen.low, word, at):
        if hit < reached or not (found := header.match(seen.text, hit)):
            continue
        reached = seen.low.find(b"\n", found.end(), found.end() + 4096)
        reached = min(found.end() + 4096, len(seen.text)) if reached < 0 else reached
        for part in pair.finditer(seen.text, found.end(), reached):
            if is_random(part[2], 12):
                yield Span(part.start(2), part.end(2), "session-cookie")
