"""Matching: how a question in words finds texts, in any script, without an index.

A text is folded (`fold`), a query becomes weighted terms (`query_terms`), and documents are ranked by BM25 in one pass over
them (`Bm25`, `rank`). A document in which no term occurs is done with after a search for a few substrings; nothing is
tokenised. Line breaks survive folding, so a match is shown by its line (`matching_lines`) and needs no map of positions.

BM25 is that of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with k1 = 1.2,
b = 0.75, and Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. A document's length is counted in
characters, which means the same in every script.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from recall_plugin.domain.sentences import UNSPACED, WORD_CHARS
from recall_plugin.domain.words import function_words, without_particle

K1 = 1.2
B = 0.75
_LOW, _PART, _SPAN, _FULL = 0.1, 0.4, 0.3, 1.0  # weights: question words, parts of an identifier, "last week", content
_VARIANT = 0.8  # what another form of the word counts, beside 1 for the word itself
_PROXIMITY = 0.5  # what two neighbouring terms side by side add, as a share of the smaller idf
_NEAR = 60  # characters: further apart, two terms are no neighbours
_MOST_TERMS = 64
_MOST_CHARACTERS = 4096  # of a query
_MOST_ASKING = 1000  # documents with question words only that are kept
_MOST_HITS = 24  # of a term in a document: more would change its score by less than a twentieth
_MOST_MISSES = 64  # substrings that turn out to be no words, before the regex engine takes over


# --- folding ---------------------------------------------------------------------------------------------------------

_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
# A character before runs of others than ASCII: neither normalisation nor case reaches further back.
_FOREIGN = re.compile(r"[^\n]?[^\x00-\x7f]+")
_MAY_BE_MARKED = re.compile(rf"[\u00c0-\u024f\u1e00-\u1eff\u2c60-\u2c7f{_MARKS}]")
_MARKED_LATIN = re.compile(rf"([a-z\u00df-\u024f\u0250-\u02af])[{_MARKS}]+")
# Letters whose stroke is no accent to Unicode, and the marks that keyboards and editors set for ' and -.
_PLAIN = str.maketrans("øłđħŧı’‘ʼ‐", "oldhti'''-")


def fold(text: str) -> str:
    """`text` as it is compared: compatibility forms and case are gone, and so are the accents of Latin letters.

    `Zoë` composed or decomposed, `ZOE` and the full-width `Ｚｏｅ` fold alike, and so do `'` and `’`; `й` stays apart from `и`. Folding again changes
    nothing. Lines stay lines: `fold(a + "\\n" + b) == fold(a) + "\\n" + fold(b)`.
    """
    if text.isascii():
        return text.lower()
    return _FOREIGN.sub(lambda run: _fold_run(run.group()), text).lower()


def _fold_run(run: str) -> str:
    return _fold_short(run) if len(run) <= 16 else _fold_foreign(run)


def _fold_foreign(run: str) -> str:
    # Case folding and compatibility forms uncover each other; three rounds settle every character of Unicode.
    for _ in range(4):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
        if _MAY_BE_MARKED.search(folded):
            folded = unicodedata.normalize("NFC", _MARKED_LATIN.sub(r"\1", unicodedata.normalize("NFD", folded)))
        folded = folded.translate(_PLAIN)
        if folded == run:
            break
        run = folded
    return run


_fold_short = lru_cache(maxsize=4096)(_fold_foreign)


# --- what a query looks for ------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    rf"([{UNSPACED}]+)|((?:(?![{UNSPACED}])[{WORD_CHARS}])+(?:[._/@:'-](?:(?![{UNSPACED}])[{WORD_CHARS}])+)*)"
)
_JOINT = re.compile(r"[._/@:-]+")
_SPAN_WORDS = re.compile(
    r"\b(?:last|this|next|past|previous|coming)(?: (?:few|couple of|two|three))? (?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?"
    r"|quarters?|years?|sprints?|sessions?|times?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon|evening)\b"
    r"|\b(?:yesterday|today|tomorrow|recently|lately|earlier|exactly|precisely|anyway|please)\b|\b(?:a|some|few|\d+) (?:days?|weeks?|months?|years?) ago\b"
)
_UNSPACED_LOW = re.compile("[的了是吗嗎呢吧啊我你您他她们們这這那哪什么麼谁誰怎为為如何时候時候是否]|[\u3041-\u309f]{2}|[のをはがにでと]")
_IRREGULAR: dict[str, tuple[str, ...]] = {
    form: tuple(family.split())
    for family in (
        "choose chose chosen choice|buy bought|make made|take took taken|write wrote written|run ran running|get got gotten|find found|build built"
        "|send sent|keep kept|break broke broken|go goes went gone|see saw seen|know knew known|think thought|say said|tell told|give gave given"
        "|come came coming|begin began begun|speak spoke spoken|meet met|hold held|lose lost|sell sold|teach taught|bring brought|catch caught|feel felt"
        "|leave left|read|set setting|put putting|pay paid|spend spent|win won winning|drive drove driven|eat ate eaten|grow grew grown|draw drew drawn"
        "|fly flew flown|throw threw thrown|wear wore worn|sing sang sung|swim swam swum|ride rode ridden|rise rose risen|hide hid hidden|fall fell fallen"
        "|forget forgot forgotten|understand understood|decide decision|agree agreement|child children|man men|woman women|person people|mouse mice"
        "|index indices|life lives|wife wives"
    ).split("|")
    for form in family.split()
}
_ENDINGS = tuple("ations ation ments ment ings ions ing ion ies ied ers ed es er ly rs s e y d r".split())
_END = rf"(?:'s|')?(?:(?![{WORD_CHARS}])|(?=[{UNSPACED}]))"
_AFTER_WORD = "s|es|ed|er|ers|ing|ings|ments?|ly|able|ions?|ations?|en|n"
_AFTER_STEM = f"{_AFTER_WORD}|e|y|ies|ied|ying|i?ly|d|r|rs"
_WORD_CHARACTER = re.compile(rf"(?![{UNSPACED}])[{WORD_CHARS}]")
_OTHER_ALPHABET = re.compile(r"[\u0370-\u1dff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Term:
    """Something a query looks for. text: folded, as the query has it; weight: in (0, 1], 1 for a content word.

    stems: one of these must a document hold, each the beginning of a form of the word; ending: a regex for what may follow
    the first; whole: whether it must stand as a word (a piece of a script without spaces need not).
    """

    text: str
    weight: float
    stems: tuple[str, ...]
    ending: str = ""
    whole: bool = True

    @property
    def is_content(self) -> bool:
        """Whether a document that holds it is about what was asked, rather than merely asking as well."""
        return self.weight > _SPAN


def query_terms(query: str) -> tuple[Term, ...]:
    """What `query` looks for, in order, each once; at most 64 terms of its first 4096 characters.

    Words of any script; an identifier (`parser.py`, `fix/last-row`) as a whole and in its parts; a run of a script without
    spaces as its overlapping pairs, a single character alone. No word is left out: those that only ask or join ("which",
    "did", "we") weigh 0.1, spans of time ("last week") and adverbs that only stress 0.3, parts of an identifier 0.4, all
    others 1. A word finds its other forms: English ones by the endings in this module (deploy, deploys, deployed,
    deployment; study, studies) and by a short table (choose, chose), those of other alphabets by up to three letters at the end.
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
    return [Term(piece, _LOW if _UNSPACED_LOW.search(piece) else _FULL, (piece,), whole=False) for piece in pieces]


def _words(word: str, low: frozenset[str], *, spanned: bool) -> list[Term]:
    bare = word.removesuffix("'s")
    if word in low or bare in low:
        return [Term(word, _LOW, (word,))]
    weight = _SPAN if spanned else _FULL
    parts = [part for part in _JOINT.split(bare) if part]
    if len(parts) < 2:
        return [Term(bare, weight, *_forms(bare))]
    return [Term(bare, weight, (bare,)), *(Term(part, _LOW if part in low else _PART, *_forms(part)) for part in parts)]


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


# --- ranking ---------------------------------------------------------------------------------------------------------


class _Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=_Ordered)


class _Match(NamedTuple, Generic[K]):
    """What is kept of a document that holds a term."""

    key: K
    length: int  # characters
    counts: tuple[float, ...]  # of each term
    near: tuple[float, ...]  # of each pair of neighbouring content terms: 1 side by side, 0 far apart or absent
    is_content: bool


class Bm25(Generic[K]):
    """Takes documents one by one and ranks those that match a query. Only counts are kept, and only of matching ones.

    Memory grows with the number of documents that hold a content word of the query (some 200 bytes each). Those that hold
    question words only are counted, and 2,000 of them are kept at the most, those with the most such words.
    """

    def __init__(self, query: str) -> None:
        self.terms = query_terms(query)
        self._lookups = [_Lookup(term) for term in self.terms]
        self._content = [place for place, term in enumerate(self.terms) if term.is_content] or list(range(len(self.terms)))
        self._low = sorted(set(range(len(self.terms))).difference(self._content))
        self._matches: list[_Match[K]] = []
        self._merely_asking: list[_Match[K]] = []
        self._documents = 0
        self._characters = 0
        self._holding = [0] * len(self.terms)

    def add(self, key: K, text: str) -> None:
        """The document is taken into account. key: sorts among the others, to break ties."""
        folded = fold(text)
        self._documents += 1
        self._characters += len(folded)
        counts = [0.0] * len(self.terms)
        places: list[list[int]] = []
        is_content = False
        for index in self._content:
            count, where = self._lookups[index].count(folded)
            counts[index] = count
            places.append(where)
            is_content = is_content or count > 0
        for index in self._low:
            if self._lookups[index].occurs(folded):
                counts[index] = 1.0
        if not any(counts):
            return
        for index, count in enumerate(counts):
            self._holding[index] += count > 0
        near = tuple(_nearness(one, other) for one, other in zip(places, places[1:], strict=False)) if is_content else ()
        match = _Match(key, len(folded), tuple(counts), near, is_content)
        if is_content:
            self._matches.append(match)
            return
        self._merely_asking.append(match)
        if len(self._merely_asking) > 2 * _MOST_ASKING:
            self._merely_asking = heapq.nsmallest(
                _MOST_ASKING, self._merely_asking, key=lambda each: (-sum(each.counts), each.key)
            )

    def best(self, limit: int) -> list[tuple[K, float]]:
        """At most `limit` documents with their scores, all positive, highest first; equals by key.

        A document without any content word of the query comes, and scores, below all that hold one.
        """
        idf = [math.log(1 + (self._documents - n + 0.5) / (n + 0.5)) for n in self._holding]
        average = self._characters / self._documents if self._documents else 1.0

        def ranked(matches: list[_Match[K]]) -> list[tuple[K, float]]:
            scored = [(match.key, self._score(match, idf, average or 1.0)) for match in matches]
            return heapq.nsmallest(max(limit, 0), scored, key=lambda pair: (-pair[1], pair[0]))

        found = ranked(self._matches)
        if len(found) < limit:
            ceiling = found[-1][1] if found else math.inf
            for key, score in ranked(self._merely_asking)[: limit - len(found)]:
                found.append((key, min(score, ceiling * score / (1 + score)) if math.isfinite(ceiling) else score))
        return found

    def _score(self, match: _Match[K], idf: list[float], average: float) -> float:
        norm = K1 * (1 - B + B * match.length / average)
        score = 0.0
        for index, count in enumerate(match.counts):
            if count:
                score += self.terms[index].weight * idf[index] * count * (K1 + 1) / (count + norm)
        for place, near in enumerate(match.near):
            if near:
                one, other = self._content[place], self._content[place + 1]
                weight = min(self.terms[one].weight * idf[one], self.terms[other].weight * idf[other])
                score += _PROXIMITY * near * weight
        return score


def rank(query: str, documents: Iterable[tuple[K, str]], limit: int) -> list[tuple[K, float]]:
    """The `limit` documents that match `query` best, with scores; see `Bm25`. `documents` is read once, in order."""
    ranking: Bm25[K] = Bm25(query)
    for key, text in documents:
        ranking.add(key, text)
    return ranking.best(limit)


def matching_lines(query: str, text: str, limit: int) -> list[tuple[int, str]]:
    """The lines of `text` that match `query` best, as they stand there, with their numbers from 1; in order of number."""
    lines = text.split("\n")
    best = rank(query, ((number, line) for number, line in enumerate(lines, 1)), limit)
    return [(number, lines[number - 1]) for number, _ in sorted(best)]


class _Lookup:
    """Finds one term in folded text, in time linear in its length."""

    def __init__(self, term: Term) -> None:
        self._term = term
        self._anywhere = not term.whole
        self._endings = tuple(
            re.compile(f"{term.ending if place == 0 else ''}{_END}") for place, _ in enumerate(term.stems)
        )
        self._regexes = tuple(re.compile(rf"(?<![{WORD_CHARS}]){re.escape(stem)}") for stem in term.stems)

    def count(self, text: str) -> tuple[float, list[int]]:
        """How often the term occurs, other forms counting less, and where; up to 24 times."""
        total = 0.0
        places: list[int] = []
        for index, stem in enumerate(self._term.stems):
            if stem in text:
                total += self._collect(text, index, stem, places)
        places.sort()
        return total, places

    def _collect(self, text: str, index: int, stem: str, places: list[int]) -> float:
        total = 0.0
        at = text.find(stem)
        misses = 0
        whole = self._term.text
        while at >= 0 and len(places) < _MOST_HITS:
            end = at + len(stem)
            if self._anywhere:
                total += 1.0
                places.append(at)
            elif self._begins(text, at) and (ending := self._endings[index].match(text, end)):
                same = text.startswith(whole, at) and ending.end() <= at + len(whole) + 2
                total += 1.0 if same else _VARIANT
                places.append(at)
            else:
                misses += 1
                if misses > _MOST_MISSES:
                    return total + self._sweep(text, index, end, places)
            at = text.find(stem, end)
        return total

    def _sweep(self, text: str, index: int, start: int, places: list[int]) -> float:
        """The same from `start` on, where most substrings are no words, at the regex engine's pace."""
        total = 0.0
        size = len(self._term.stems[index])
        for match in self._regexes[index].finditer(text, start):
            if self._endings[index].match(text, match.start() + size):
                total += _VARIANT
                places.append(match.start())
                if len(places) >= _MOST_HITS:
                    break
        return total

    def occurs(self, text: str) -> bool:
        """Whether the term occurs."""
        stem = self._term.stems[0]
        if stem not in text:
            return False
        places: list[int] = []
        return self._anywhere or self._collect(text, 0, stem, places) > 0

    @staticmethod
    def _begins(text: str, at: int) -> bool:
        return at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_") or not _WORD_CHARACTER.match(text, at - 1)



def _nearness(one: list[int], other: list[int]) -> float:
    """How close two terms come: 1 within ten characters, falling to 0 at sixty. Both lists sorted."""
    best = _NEAR
    first = second = 0
    while first < len(one) and second < len(other):
        gap = other[second] - one[first]
        best = min(best, abs(gap))
        if gap > 0:
            first += 1
        else:
            second += 1
    return min(1.0, (_NEAR - best) / (_NEAR - 10))
