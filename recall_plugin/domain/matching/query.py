"""Queries: what a question in words looks for, in any script."""

from __future__ import annotations

import re
from dataclasses import dataclass

from recall_plugin.domain.text.folding import fold
from recall_plugin.domain.text.scripts import UNSPACED, WORD_CHARS
from recall_plugin.domain.text.words import function_words, without_particle

LOW, PART, SPAN, FULL = 0.1, 0.4, 0.3, 1.0  # weights: question words, parts of an identifier, "last week", content
_MOST_TERMS = 64
_MOST_CHARACTERS = 4096  # of a query

_TOKEN = re.compile(
    rf"([{UNSPACED}]+)|((?:(?![{UNSPACED}])[{WORD_CHARS}])+(?:[._/@:'-](?:(?![{UNSPACED}])[{WORD_CHARS}])+)*)"
)
_JOINT = re.compile(r"[._/@:-]+")
_SPAN_WORDS = re.compile(
    r"\b(?:last|this|next|past|previous|coming)(?: (?:few|couple of|two|three))? (?:seconds?|minutes?|hours?|days?"
    r"|nights?|weeks?|weekends?|months?"
    r"|quarters?|years?|sprints?|sessions?|times?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon"
    r"|evening)\b"
    r"|\b(?:yesterday|today|tomorrow|recently|lately|earlier|exactly|precisely|anyway|please)\b|\b(?:a|some|few"
    r"|\d+) (?:days?|weeks?|months?|years?) ago\b"
)
_UNSPACED_LOW = re.compile(
    "[的了是吗嗎呢吧啊我你您他她们們这這那哪什么麼谁誰怎为為如何时候時候是否]|[\u3041-\u309f]{2}|[のをはがにでと]"
)
_FAMILIES = """
    choose chose chosen choice; buy bought; make made; take took taken; write wrote written; run ran running;
    get got gotten; find found; build built; send sent; keep kept; break broke broken; go goes went gone; see
    saw seen; know knew known; think thought; say said; tell told; give gave given; come came coming; begin
    began begun; speak spoke spoken; meet met; hold held; lose lost; sell sold; teach taught; bring brought;
    catch caught; feel felt; leave left; read; set setting; put putting; pay paid; spend spent; win won winning;
    drive drove driven; eat ate eaten; grow grew grown; draw drew drawn; fly flew flown; throw threw thrown;
    wear wore worn; sing sang sung; swim swam swum; ride rode ridden; rise rose risen; hide hid hidden; fall
    fell fallen; forget forgot forgotten; understand understood; decide decision; agree agreement; child
    children; man men; woman women; person people; mouse mice; index indices; life lives; wife wives
"""
_IRREGULAR = {form: tuple(family.split()) for family in _FAMILIES.split(";") for form in family.split()}
# Longest first.
_ENDINGS = (
    *("ations", "ation", "ments", "ment", "ings", "ions", "ing", "ion", "ies", "ied", "ers"),
    *("ed", "es", "er", "ly", "rs", "s", "e", "y", "d", "r"),
)
END_OF_WORD = rf"(?:'s|')?(?:(?![{WORD_CHARS}])|(?=[{UNSPACED}]))"
_AFTER_WORD = "s|es|ed|er|ers|ing|ings|ments?|ly|able|ions?|ations?|en|n"
_AFTER_STEM = f"{_AFTER_WORD}|e|y|ies|ied|ying|i?ly|d|r|rs"
_OTHER_ALPHABET = re.compile(r"[\u0370-\u1dff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Term:
    """Something a query looks for.

    text: folded, as the query has it; weight: in (0, 1], 1 for a content word.
    stems: a document must hold one of these, each the beginning of a form of the word; ending: a regex for what may
        follow the first.
    whole: whether it must stand as a word; a piece of a script without spaces need not.
    """

    text: str
    weight: float
    stems: tuple[str, ...]
    ending: str = ""
    whole: bool = True

    @property
    def is_content(self) -> bool:
        """Whether a document that holds it is about what was asked, rather than merely asking as well."""
        return self.weight > SPAN


def query_terms(query: str) -> tuple[Term, ...]:
    """What `query` looks for, in order, each once; at most 64 terms of its first 4096 characters.

    Words of any script; an identifier (`parser.py`, `fix/last-row`) as a whole and in its parts; a run of a script
    without spaces as its overlapping pairs, a single character alone. No word is left out: those that only ask or join
    ("which", "did", "we") weigh 0.1, spans of time ("last week") 0.3, parts of an identifier 0.4, all others 1. A word
    finds its other forms: English ones by the endings in this module (deploy, deploys, deployed, deployment; study,
    studies) and by a short table (choose, chose), Korean ones without their particle, those of other alphabets by up to
    three letters at the end.
    """
    folded = fold(query[:_MOST_CHARACTERS])
    tokens = [(match.group(1), match.group(2), match.start()) for match in _TOKEN.finditer(folded)]
    low = function_words(word for _, word, _ in tokens if word)
    spans = [match.span() for match in _SPAN_WORDS.finditer(folded)]
    terms: dict[str, Term] = {}
    for run, word, at in tokens:
        if run:
            found = _pairs(run)
        else:
            spanned = any(start <= at < end for start, end in spans)
            found = _words(word, low, spanned=spanned)
        for term in found:
            known = terms.get(term.text)
            if known is None or known.weight < term.weight:
                terms[term.text] = term
        if len(terms) >= _MOST_TERMS:
            break
    return tuple(terms.values())[:_MOST_TERMS]


def _pairs(run: str) -> list[Term]:
    pieces = [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
    return [Term(piece, LOW if _UNSPACED_LOW.search(piece) else FULL, (piece,), whole=False) for piece in pieces]


def _words(word: str, low: frozenset[str], *, spanned: bool) -> list[Term]:
    bare = word.removesuffix("'s")
    if word in low or bare in low:
        return [Term(word, LOW, (word,))]
    weight = SPAN if spanned else FULL
    parts = [part for part in _JOINT.split(bare) if part]
    if len(parts) < 2:
        return [Term(bare, weight, *_forms(bare))]
    return [Term(bare, weight, (bare,)), *(Term(part, LOW if part in low else PART, *_forms(part)) for part in parts)]


def _forms(word: str) -> tuple[tuple[str, ...], str]:
    """The beginnings that the forms of a word share, and, as a regex, what may follow the first of them."""
    if word in _IRREGULAR:
        return (word, *(form for form in _IRREGULAR[word] if form != word)), ""
    if _HANGUL.match(word):
        return (without_particle(word),), rf"[{WORD_CHARS}]{{0,3}}"
    if _OTHER_ALPHABET.match(word):
        # Languages that put more at a word's end than English, in ways not known here.
        return (word[: max(4, len(word) - 2)],), rf"[{WORD_CHARS}]{{0,3}}" if len(word) >= 4 else ""
    if not (word.isascii() and word.isalpha()) or len(word) < 3:
        return (word,), ""
    stem, soft = word, False
    for ending in _ENDINGS:
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= (3 if ending == "s" else 4):
            stem, soft = word[: -len(ending)], ending not in ("s", "ments", "ment")
            break
    if soft and len(stem) > 4 and stem[-1] == stem[-2] and stem[-1] in "bdgmnprt":
        stem = stem[:-1]  # planned: plan
    elif len(stem) > 4 and (stem[-1] == "e" or (stem[-1] == "y" and stem[-2] not in "aeiou")):
        stem, soft = stem[:-1], True
    after = _AFTER_STEM if soft else _AFTER_WORD
    return (stem,), f"(?:{stem[-1]}(?=ed|ing|er))?(?:{after})?" if len(stem) > 3 else "(?:s|es|ed|ing)?"
