"""Private keys, whole or torn, in every shape that they are stored in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from recall_plugin.files.redaction.seen import NEWLINE, Span, Text, hits, rx

_LINE_JUNK = r"(?:\\+[nrt]|[\s\"'+>|,:#*→\\-]|\d{1,6}(?=[\t→|: ]))"
_BODY = (
    rf"{_LINE_JUNK}{{1,80}}+(?:[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{0,80}}{_LINE_JUNK}{{1,80}}+){{0,6}}"
    rf"[A-Za-z0-9+/=]{{24,}}+(?:{_LINE_JUNK}{{1,80}}+[A-Za-z0-9+/=]{{16,}}+)*+(?:(?:\s|\\[nr]){{1,20}}[A-Za-z0-9+/]{{1,15}}=+)?"
)


def private_keys(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The blocks between BEGIN and END PRIVATE KEY; a block without its end, or without its beginning, too."""
    text = seen.text
    begins: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for hit in hits(seen.low, word, at):
        left = rx(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,24}\Z").search(text[max(0, hit - 40) : hit])
        right = rx(r"PRIVATE KEY(?: BLOCK)? ?-{4,5}").match(text, hit)
        if left and right:
            start = max(0, hit - 40) + left.start()
            (begins if left[1] == "BEGIN" else ends).append((start, right.end()))
    closed = set()
    for index, (start, after) in enumerate(begins):
        next_begin = begins[index + 1][0] if index + 1 < len(begins) else len(text)
        place = bisect_left(ends, (after, 0))
        if place < len(ends) and ends[place][0] < min(next_begin, after + 40_000):
            inside = text[after : ends[place][0]]
            if any(any(map(str.isdigit, run)) for run in rx(r"[A-Za-z0-9+/]{30,}").findall(inside)):
                yield Span(start, ends[place][1], "private-key")
            closed.add(ends[place])
        elif body := rx(_BODY).match(text, after, next_begin):
            yield Span(start, body.end(), "private-key")
    for start, after in ends:
        if (start, after) not in closed and (first := _lines_before(text, start)) < start:
            yield Span(first, after, "private-key")


def _lines_before(text: str, end: int) -> int:
    """Where the base64 lines begin that lead up to `end`; `end` itself if there are none."""
    first = end
    shortest = 1
    while first:
        window = text[max(0, first - 240) : first]
        line = rx(
            r"(?:^|\n|\\n)[ \t>+|\"']{0,40}(?:\d{1,6}[\t→:|] ?)?([A-Za-z0-9+/]{1,200}={0,2})"
            r"(?:\s|\\{1,3}[nr]|[\"'+]|[ \t>|]|\d{1,6}[\t→]){1,40}\Z"
        ).search(window)
        if line is None or len(line[1]) < shortest:
            break
        first = first - len(window) + line.start(1)
        shortest = 20
    return first if end - first > 30 else end


def putty_keys(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The PuTTY key files, from the header to the checksum."""
    newline = rf"{NEWLINE}[ \t>+|]{{0,12}}"
    line = r"(?:[A-Z][A-Za-z0-9-]{2,30}: [^\n\\]{0,200}|[A-Za-z0-9+/=]{1,200}(?![^\s\\\"']))"
    mac = rf"(?:{newline}Private-MAC: [0-9a-f]*)?"
    block = rf"PuTTY-User-Key-File-\d: [^\n\\]{{0,80}}(?:{newline}(?!Private-MAC){line})*+{mac}"
    reached = 0
    for hit in hits(seen.low, word, at):
        found = rx(block).match(seen.text, hit) if hit >= reached else None
        if found:
            reached = found.end()
            if "Private-Lines" in found.group():
                yield Span(hit, reached, "private-key")


def jwks(seen: Text, word: bytes, at: int) -> Iterator[Span]:
    """The private members of JSON web keys."""
    reached = 0
    for hit in hits(seen.low, word, at):
        first, last = max(reached, hit - 3000), hit + 6000
        if last <= reached:
            continue
        member = r"\"(?:d|p|q|dp|dq|qi|k)\\{0,3}\"\s{0,9}:\s{0,9}\\{0,3}\"([A-Za-z0-9_-]{16,}+)"
        for found in rx(member).finditer(seen.text, first, last):
            yield Span(found.start(1), found.end(1), "private-key")
        reached = last
