"""Prose: what of a turn's text was said in sentences, and what a marked-up sentence says in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from recall_plugin.domain.text.scripts import WORD_CHARS


class Kind(Enum):
    """What a block of a turn is."""

    TEXT = auto()  # lines of running text, joined by newlines
    ITEM = auto()  # an item of a list, without its mark
    TODO = auto()  # an unchecked checkbox
    DONE = auto()  # a checked one
    HEADING = auto()  # a heading, or a line in bold or with a colon that introduces what follows


class Block(NamedTuple):
    """A piece of prose, still marked up. text: never empty."""

    kind: Kind
    text: str


_FENCE = re.compile(r"(`{3,}+|~{3,}+)")
_ITEM = re.compile(r"(?:[-*+•‣◦▪–]|\d{1,3}[.)])[ \t]++")
_BOX = re.compile(r"\[([ xX✓✔])\][ \t]++")
_HEADING = re.compile(r"#{1,6}[ \t]++")
_INTRODUCTION = re.compile(r"(?:\*\*|__)([^*_\n]{2,60}?):?(?:\*\*|__):?|([^\s.!?;][^.!?;\n]{0,59})[:：]")
# Lines that nobody says: logs, stack traces, diffs, shell, code, tables, markup, data.
_NOISE = re.compile(
    r"""
      \|                                                        # a table
    | (?:\#{2,}|[-=*_+~]{2,})\S*+$                              # a rule
    | Traceback\ \(most\ recent | File\ " | at\ [\w$.<>/]+[(:] | \.{3}\ \d+\ more | Caused\ by:
    | [\w.]+(?:Error|Exception|Warning):
    | \[?\d{4}-\d\d-\d\d[T ]\d\d?: | \[?\d\d:\d\d:\d\d
    | \[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\]:\s|]
    | \$\ | >>>\ | [\w.-]+@[\w.-]+[:~][^ ]*[$#]\                # a prompt
    | \+\+\+\ | @@\ | diff\ --git | index\ [0-9a-f]{7} | [+-](?![\s\d]) | [+-][ ]{3,}
    | import\ [\w{*.]+(?:\ as\ \w+|\ from\ \S+)?;?$ | from\ \S+\ import\ | \#include
    | (?:async\ )?def\ \w+\( | class\ \w+[(:] | (?:pub\ )?fn\ \w+ | func\ \w*\( | (?:const|let|var)\ \w+\ =
    | (?:return|raise|assert)\ .*[()\[\]=] | (?:if|for|while|with)\ .*:$
    | (?:SELECT|INSERT|UPDATE|DELETE)\ .*\b(?:FROM|INTO|SET)\b
    | </?[a-zA-Z!][^>]*>$ | [\w.\[\]"']++\s*=\s*[^=\s] | "[^"]*"\s*: | //\ | /\*
    | [{}\[\]()]++[;,]*$
    | E\ {3} | (?:PASSED|FAILED|=====)\b | \d+\ (?:passed|failed)\b.*\bin\ \d
    | (?=[a-f]*\d)[0-9a-f]{7,40}\b(?:\ |$)                      # a commit
    """,
    re.VERBOSE,
)

_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,100}\])")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]{1,500})>")
_URL = re.compile(r"(?:https?|ftp|file)://\S+|\bwww\.\S+")
_TAG = re.compile(
    r"</?(?:a|b|br|code|details|div|em|h[1-6]|i|img|kbd|li|ol|p|pre|s|span|strong|sub|summary|sup|u"
    r"|ul)\b[^<>\n]{0,300}>"
)
_STRONG = re.compile(r"\*\*|~~")
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=\S)([^*\n]{1,300})(?<=\S)\*(?![\w*])|(?<![\w_])_{1,2}([^_\n]{1,300} [^_\n]{1,300}"
    r"|[^\W_]{1,60})_{1,2}(?![\w_(.])"
)
_ESCAPED = re.compile(r"\\([*_`#\[\]>|~-])")
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,500})\1(?!`)")
_MARKED = re.compile(r"[`\[<*_~\\]")
_LEADING = re.compile("[\\s*•‣◦▪–—>\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")
_SYMBOL = re.compile(rf"[^{WORD_CHARS}\s.,;:!?'’\"“”()、。，！？…·-]")
_LETTERS = re.compile(r"[^\W\d_]{2}|[^\x00-\u024f\W]")


def blocks(text: str) -> Iterator[Block]:
    """The prose of `text` in order: without fenced code, tables, quotations, logs, traces, diffs and lines of code."""
    lines: list[str] = []
    for line in _unfenced(text):
        block = _structure(line) if line else None
        if block is None:
            if not line:
                lines.append("")
            elif not _is_noise(line):
                lines.append(line)
            continue
        if any(lines):
            yield Block(Kind.TEXT, "\n".join(lines).strip("\n"))
        lines = []
        if block.text and not _is_noise(block.text):
            yield block
    if any(lines):
        yield Block(Kind.TEXT, "\n".join(lines).strip("\n"))


def _unfenced(text: str) -> Iterator[str]:
    """The lines of `text`, stripped, without fenced code, the body of a Python trace, and quotations."""
    fence = ""
    in_trace = False
    for raw in text.split("\n"):
        line = raw.strip()
        if fence:
            if line.startswith(fence) and not line.strip(fence[0]):
                fence = ""
        elif in_trace and line:
            # Up to the line that names the error, which is the first not indented.
            in_trace = raw[0] in " \t"
        elif line[:1] in ("`", "~") and (opening := _FENCE.match(line)):
            # ```one line``` opens nothing.
            fence = "" if opening.group() in line[opening.end() :] else opening.group()
        elif line.startswith("Traceback ("):
            in_trace = True
        elif line[:1] != ">" or line[:2] not in (">", "> ", ">>"):
            yield line


def _is_noise(line: str) -> bool:
    return line[-1] in "{};\\" or line.endswith(("=>", "):")) or _NOISE.match(line) is not None


def _structure(line: str) -> Block | None:
    first = line[0]
    if first == "#" and (heading := _HEADING.match(line)):
        return Block(Kind.HEADING, line[heading.end() :].rstrip("# "))
    if (first in "-*+•‣◦▪–" or first.isdigit()) and (item := _ITEM.match(line)):
        rest = line[item.end() :]
        if rest.startswith("[") and (box := _BOX.match(rest)):
            return Block(Kind.TODO if box.group(1) == " " else Kind.DONE, rest[box.end() :])
        return Block(Kind.ITEM, rest)
    if (line[-1] in ":：" or first in "*_") and len(line) <= 70 and (introduction := _INTRODUCTION.fullmatch(line)):
        return Block(Kind.HEADING, introduction.group(1) or introduction.group(2))
    return None


def plain(sentence: str, limit: int = 1000) -> str:
    """`sentence` in plain words on one line: links, emphasis, inline code and tags are reduced to their text.

    limit: the number of characters of `sentence` that are looked at, at the most.
    """
    text = sentence[:limit]
    if not _MARKED.search(text):
        pass
    elif "`" in text:
        pieces: list[str] = []
        at = 0
        for code in _CODE.finditer(text):
            pieces += (_unmarked(text[at : code.start()]), code.group(2))
            at = code.end()
        pieces.append(_unmarked(text[at:]).replace("`", ""))
        text = "".join(pieces)
    else:
        text = _unmarked(text)
    if not text[:1].isalnum() and (leading := _LEADING.match(text)):
        text = text[leading.end() :]
    return " ".join(text.split())


def _unmarked(text: str) -> str:
    if "[" in text:
        text = _LINK.sub(lambda link: "" if link.group(1) else link.group(2), text)
    if "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    if "*" in text or "_" in text or "~~" in text:
        text = _EMPHASIS.sub(lambda mark: mark.group(1) or mark.group(2), _STRONG.sub("", text))
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def is_sentence(text: str) -> bool:
    """Whether a plain sentence is made of words: it has letters, and at most a fifth is symbols, URLs left out."""
    rest = _URL.sub("", text) if "://" in text or "www." in text else text
    return _LETTERS.search(rest) is not None and 5 * len(_SYMBOL.findall(rest)) <= len(rest)
