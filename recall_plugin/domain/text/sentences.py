"""Sentences: where they begin and end in any text, and how a text is cut without breaking a word."""

from __future__ import annotations

import re
import unicodedata

from recall_plugin.domain.text.scripts import UNSPACED_CHARACTER, word_set

_CLOSERS = "\"'”’»)\\]}*_`~"
_WIDE_CLOSERS = "」』）】》〉”’\"')\\]"
_MARK = r"(?:(?:[-*+•‣◦▪–]|\d{1,3}[.)]|#{1,6}|>)[ \t]++){0,4}+(?:\[[ xX]\][ \t]++)?+"
# One class first, which the regex engine scans for at full speed; what follows always matches and gives nothing back,
# so no text makes it look at a character twice.
_BOUNDARY = re.compile(
    r"[.!?…。！？｡．؟۔।॥։።။\n•‣◦▪](?:"
    rf"(?<=[.!?…])[.!?…]*+[{_CLOSERS}]*+"
    rf"|(?<=[。！？｡．؟۔।॥։።။])[。！？｡．؟۔।॥։።။]*+[{_WIDE_CLOSERS}]*+"
    rf"|(?<=\n)\s*+{_MARK}"
    r"|(?<=[•‣◦▪])(?=[ \t]))"
)
_LEAD = re.compile(rf"\s*+{_MARK}")
_QUOTES = "\"'”’»"
_WORD = re.compile(r"\w")
_SPACE = re.compile(r"\s*+")

# Nothing ends here, whatever follows.
_OPEN_ABBREVIATIONS = word_set(
    "dr mr mrs ms prof st vs cf e.g i.e eg ie resp dipl ing hr fr z.b d.h u.a bzw vgl ggf usw.a nr sr sra dra mme mlle"
    " gen col lt sgt rev hon capt al incl excl est min max ca viz"
)
# A sentence goes on here if a number follows.
_NUMBER_ABBREVIATIONS = word_set(
    "no nos fig figs eq sec ch vol p pp art ver v § ref jan feb mar apr jun jul aug sep sept oct nov dec"
)
# A sentence goes on here if a small letter follows.
_CLOSED_ABBREVIATIONS = word_set("etc inc ltd co corp jr sr a.m p.m u.s u.k usw ph.d b.sc m.sc dept")
_ABBREVIATIONS = _OPEN_ABBREVIATIONS | _NUMBER_ABBREVIATIONS | _CLOSED_ABBREVIATIONS
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_NAME = re.compile(r"[^\W\d_](?:\.|[^\W\d_]+)\Z")
_BEFORE_ORDINAL = word_set("am vom der den dem zum bis und im des")
# A line that ends with one of these is wrapped, not finished.
_DANGLING = word_set(
    """
    a an and are as at be but by for from if in into is of on or our than that the their this to was were which
    with your der die das den dem des ein eine einen und oder mit von zu im in auf für le la les un une des de
    du et ou à en el los las una y o con por para
    """
)
_WRAPPED_FROM = 40  # characters: a shorter line is not wrapped, it is a line


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Every sentence of `text` as (start, end), in order, disjoint, without the white space and list marks around it.

    A sentence ends at `. ! ? …` before white space, at the full stops of other scripts, at a line's end and at a
    bullet. It goes on after an abbreviation, an initial, a version, a file name or a URL, after an ellipsis or a closed
    quotation before a small letter, and over the end of a line of 40 characters or more that is wrapped: the next line
    begins with a small letter, or this one ends with an article, a preposition or the like. What holds no letter and no
    digit belongs to no sentence. Time is linear in the text's length.
    """
    spans: list[tuple[int, int]] = []
    size = len(text)
    lead = _LEAD.match(text)
    start = line_start = lead.end() if lead else 0
    for boundary in _BOUNDARY.finditer(text, start):
        begin, end = boundary.span()
        mark = text[begin]
        stop = end
        if mark == "\n":
            wrapped = begin - line_start >= _WRAPPED_FROM and _wraps(text, begin, end)
            line_start = end
            if wrapped:
                continue
            stop = begin
        elif mark in "•‣◦▪":
            stop = begin
        elif not (_ends(text, start, begin, end) if mark in ".!?…" else _ends_wide(text, begin, end)):
            continue
        if stop > start:
            _append(spans, text, start, stop)
        start = end
    if size > start:
        _append(spans, text, start, size)
    return spans


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` (`sentence_spans`), each as it stands there."""
    return [text[start:end] for start, end in sentence_spans(text)]


def shorten(text: str, limit: int) -> str:
    """`text`, or its beginning up to the end of a word and "…": `limit` characters at the most, `limit` at least 1.

    Where no word ends in the second half (a script without spaces, a long path), the cut falls between characters.
    """
    if len(text) <= limit:
        return text
    cut = limit - 1
    space = max(text.rfind(" ", cut // 2, cut + 1), text.rfind("\n", cut // 2, cut + 1))
    if space > 0:
        cut = space
    while cut > 0 and (unicodedata.combining(text[cut]) or text[cut] in "\u200d\ufe0f"):
        cut -= 1
    return text[:cut].rstrip(" \t\n,;:–—-(") + "…"


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    if text[start] == " " and start + 1 < end:
        start += 1
    if text[start].isspace() or text[end - 1].isspace():
        piece = text[start:end]
        end = start + len(piece.rstrip())
        start += len(piece) - len(piece.lstrip())
    if start < end and (text[start].isalnum() or _WORD.search(text, start, end)):
        spans.append((start, end))


def _next(text: str, end: int) -> str:
    """The first character after white space, or nothing."""
    space = _SPACE.match(text, end)
    after = space.end() if space else end
    return text[after : after + 1]


def _wraps(text: str, begin: int, end: int) -> bool:
    gap = text[begin:end]
    if end >= len(text) or gap.strip() or gap.count("\n") > 1 or text[begin - 1] in ".!?…:;。！？|`":
        return False
    following = text[end]
    if following.islower():
        return True
    words = text[max(0, begin - 12) : begin].split()
    return following.isalnum() and bool(words) and words[-1].lower() in _DANGLING


def _ends(text: str, start: int, begin: int, end: int) -> bool:
    """Whether the mark `. ! ? …` at `begin`, which goes on to `end`, ends the sentence that began at `start`."""
    mark = text[begin]
    if end < len(text) and not text[end].isspace():
        return mark in "!?" and UNSPACED_CHARACTER.match(text, end) is not None
    if mark in "!?":
        return not (text[end - 1] in _QUOTES and _next(text, end).islower())
    if end == begin + 1 and mark == ".":
        # Most full stops follow a plain word that is no abbreviation.
        word = text[text.rfind(" ", start, begin) + 1 or start : begin]
        if len(word) > 1 and word.isalpha() and word.lower() not in _ABBREVIATIONS:
            return True
    following = _next(text, end)
    if mark == "…" or text[end - 1] in _QUOTES or text.startswith("..", begin):
        return not following.islower()
    before = text[max(start, begin - 24) : begin].split()
    return not following or bool(before and not _abbreviates(before, following, begin - start))


def _ends_wide(text: str, begin: int, end: int) -> bool:
    """Whether a full stop of another script ends a sentence: not inside a number, nor where a quotation is reported."""
    if text[begin] == "．":
        return not text[end : end + 1].isdigit()
    return not (text[end - 1] in "」』" and text[end : end + 1] in ("と", "っ"))


def _abbreviates(before: list[str], following: str, length: int) -> bool:
    """Whether the last of the words before a full stop is cut short by it. length: of the sentence so far."""
    token = before[-1].lstrip("(\"'[“‘«*_`¿¡")
    lower = token.lower()
    if lower in _OPEN_ABBREVIATIONS:
        result = True
    elif lower in _NUMBER_ABBREVIATIONS:
        result = following.isdigit()
    elif lower in _CLOSED_ABBREVIATIONS or _DOTTED.match(lower):
        result = following.islower()
    elif token.isdigit() and len(token) <= 3:
        # The number of an item, or a German ordinal: "am 3. März".
        first = len(before) == 1 and length <= len(token) + 2
        result = first or (len(before) > 1 and before[-2].lower() in _BEFORE_ORDINAL)
    elif len(token) == 1 and token.isupper() and token != "I" and following.isupper():
        result = len(before) == 1 or bool(_NAME.match(before[-2]))
    else:
        result = False
    return result
