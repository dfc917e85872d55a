"""Values that stand under the name of a secret, in every notation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_plugin.files.redaction.names import promise_of
from recall_plugin.files.redaction.seen import KEY_CHARACTERS, LONG_VALUE, LONGEST_VALUE, NEWLINE, Span, Text, hits, rx
from recall_plugin.files.redaction.values import Place, is_secret

_NAME = (
    r"(?P<name>[A-Za-z0-9_.-]{2,48}+)(?P<quote>\\{0,7}[\"'`])?\]?(?:\*{1,2})?(?:"
    rf"(?P<next>[\])}}]{{0,3}}:?[ \t]{{0,4}}(?:{NEWLINE}[ \t>]{{0,16}}){{1,2}}"
    r"(?=[\"']?[^\s\"'\\]{8,4096}+[\"']?[ \t]{0,4}(?:[\r\n\\\"]|\Z)))"
    r"|(?P<typed>[ \t]{0,8}:[ \t]{0,4}[A-Za-z_][\w.]{0,30}(?:\[[\w., \[\]|]{0,40}\])?(?: ?\| ?\w{1,20}){0,3}"
    r"[ \t]{0,4}=[ \t]{0,4}(?=[bruf]?\\{0,7}[\"'`]))"
    r"|(?P<op>[ \t]{0,20}(?:(?<=[ \t])\[[^\]\n]{0,40}\])?[ \t]{0,4}"
    r"(?::=|=>|\|\|=|[!=?]?={1,2}|:(?!:)|%3[DdAa])\*{0,2}[ \t]{0,20})"
    r"|(?P<pair>(?:[\s,]|\\{1,3}[nrt]){1,64}\\{0,3}[\"']?[vV]alue\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4})"
    r"|(?P<xml>(?:[ \t][^<>\n]{0,60})?>[ \t]{0,8})"
    r"|(?P<comma>,[ \t]{0,8}(?=\\{0,7}[\"'`]))"
    r"|(?P<call>\([ \t]{0,4}(?=[\"'`]))"
    r"|(?P<table>[ \t]{0,8}\|[ \t]{0,8})"
    r"|(?P<space>[ \t]{1,8}(?:(?:is|was)(?: now)?[ \t:]{1,3})?))"
)
_BLOCK = r"(?:[|>][-+]?[ \t]{0,8}\r?\n[ \t]{1,32}(?=\S)|\[[ \t]{0,4}(?=\\{0,3}[\"'`]))?"
_OPEN = r"(?:[bBrRfFuU]{1,2}(?=[\"']))?(\\{0,7})(?:\"\"\"|'''|([\"'`]))"
_BARE = (
    r"(?:[^\s\"'`;&,()\[\]{}<>|\\]|\\(?![nrtu\"'`\\])"
    r"|[;&,|](?![\s;&,|]|\Z|[\w.%-]{1,40} ?[=:]|\w{1,20} \w{1,20} ?=)"
    r"|[)\]}>](?=[\w!@#$%^*+=~?/-])|[(\[{<](?=[^\s\"'`]))"
    rf"{{1,{LONGEST_VALUE}}}+"
)
_LINE_START = (
    r"(?:^|\n|\\n)[\s>|+*#$\"'-]{0,24}"
    r"(?:(?:export|set|setenv|env|ENV|ARG|local|declare -x|const|let|var|-e|--env)[ =][\"']?)?\Z"
)
_LINE_END = r"[\"'`]?[ \t]{0,8}(?:\Z|[\r\n]|\\{1,3}[nr]|#)"


def named_values(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The values that stand under the name of a secret."""
    pattern = rx(_NAME)
    reached = 0
    for hit in hits(seen.low, word, at):
        if hit < reached or not (found := pattern.match(seen.text, hit)):
            continue
        span = _named_value(found)
        if span.kind:
            yield span
        if span.kind or span.end - span.start > LONG_VALUE:
            reached = span.end


def _named_value(found: re.Match[str]) -> Span:
    """The value under the name; of no kind if it is no secret, and then empty unless it is bare text."""
    text, hit = found.string, found.start()
    none = Span(hit, hit, "")
    window = text[max(0, hit - 48) : hit]
    head = window[len(window.rstrip(KEY_CHARACTERS)) :]
    if head[:1] in {"n", "r", "t"} and window[: -len(head)].endswith("\\"):  # the letter belongs to an escaped newline
        head = head[1:]
    key = head + found["name"]
    apart = not head and found["name"][:3].lower() in {"key", "tok", "sec"}
    spoken = rx(r"(?:[A-Za-z]{2,15} ){1,2}\Z").search(window) if apart else None
    name = promise_of(spoken.group() + key if spoken else key, spoken is not None)
    if not name.level or not _leads_to_value(found, window[: len(window) - len(head)], head):
        return none
    block = rx(_BLOCK).match(text, found.end())
    start, end, quoted = value_at(text, block.end() if block else found.end(), found.lastgroup or "")
    if end <= start:
        return none
    place = _place(found, key, end, quoted)
    value = text[start:end]
    if not place.env and not quoted:
        value = value.rstrip(".,;:")
    if not is_secret(name, key, value, place):
        return none if quoted else Span(start, end, "")
    if end - start >= LONGEST_VALUE and (rest := rx(r"[^\s\"'`<]*+").match(text, end)):
        return Span(start, rest.end(), name.kind)
    return Span(start, start + len(value), name.kind)


def _leads_to_value(found: re.Match[str], before: str, head: str) -> bool:
    """False where what follows the name only looks like a way to a value."""
    last = before[-1:]
    if found["op"] == ":" and last == "/":  # the user of a URL
        return False
    if found["xml"]:
        return bool(rx(r"\b(?:name|key)=\\{0,3}[\"']\Z").search(before)) if found["quote"] else last in {"<", ":"}
    if found["next"]:
        return ":" in found["next"] or last in set("$\"'{[") or (not head and before.endswith("printenv "))
    return True


def value_at(text: str, at: int, style: str) -> tuple[int, int, bool]:
    """Where the value that begins at `at` starts and ends, and whether it stands in quotes."""
    opened = None if style == "xml" else rx(_OPEN).match(text, at)
    if not opened:
        found = rx(rf"[^<\n]{{1,{LONGEST_VALUE}}}(?=</)" if style == "xml" else _BARE).match(text, at)
        return at, at + len(found.group().rstrip()) if found else at, False
    quote = opened[2] or opened.group()[-1]
    depth = len(opened[1])
    if depth == 0:
        body = rf"(?:[^{quote}\\\n]|\\.){{0,{LONGEST_VALUE}}}+"
    elif depth == 1:
        body = rf"(?:[^{quote}\\\n]|\\\\\\.|\\[^{quote}\n]){{0,{LONGEST_VALUE}}}+"
    else:
        body = rf"(?:[^{quote}\\\n]|\\(?!\\{{0,6}}{quote})){{0,{LONGEST_VALUE}}}+"
    closed = rx(body).match(text, opened.end())
    return opened.end(), closed.end() if closed else opened.end(), True


def _place(found: re.Match[str], key: str, end: int, quoted: bool) -> Place:
    """The place of the value that ends at `end`, under the key that ends where the match's name does."""
    text, style, operator = found.string, found.lastgroup or "", found["op"] or ""
    key_start = found.end("name") - len(key)
    lead, after = text[max(0, key_start - 110) : key_start], text[end : end + 1]
    tight = operator == "="
    env = tight and not any(map(str.islower, key))
    line_end = bool(rx(_LINE_END).match(text, end))
    literal = env or style in {"pair", "xml"} or key.startswith("-") or operator.startswith("%3")
    if style == "comma":  # the first argument of a call: define("DB_PASSWORD", …
        literal = key.isupper() and bool(rx(r"\(\\{0,3}[\"']\Z").search(lead[-6:]))
    elif style == "space" and not literal:
        literal = key == "requirepass" or bool(rx(r"login\s{1,9}\S{1,60}\s{1,40}\Z").search(lead))
        literal = literal or (key == "PASS" and bool(rx(_LINE_START).search(lead[-40:])))
    if tight and not literal:  # a query, a connection string, a log line
        literal = lead[-1:] in set("?&;") or after == "&" or (after == ";" and "." not in key)
        literal = literal or (after == " " and bool(rx(r" \w{1,30}=").match(text, end)))
    if not literal and line_end and (tight or operator.strip("* \t") == ":"):
        literal = bool(rx(_LINE_START).search(lead[-40:]))
    return Place(style, quoted, literal, env, not line_end and after in {" ", ".", ","})
