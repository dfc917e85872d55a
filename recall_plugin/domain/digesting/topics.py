"""Topics: the words, phrases and identifiers that describe one session, counted in bounded memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from recall_plugin.domain.text.scripts import UNSPACED_CHARACTER, WORD_CHARS
from recall_plugin.domain.text.words import (
    common_words,
    token_pattern,
    unspaced_pieces,
    without_particle,
)

LIMIT = 8
_LONGEST = 40  # characters of a topic
_KEPT_WORDS = 8192  # distinct words after pruning; twice as many before it

_ASCII_WORD = re.compile(r"\w{2,40}")
_ANY_WORD = re.compile(rf"[{WORD_CHARS}]{{2,40}}")
_LETTER_FIRST = re.compile(r"[^\W\d_]")
_JOINT = re.compile(r"[./@:_-]")
_CAMEL = re.compile(r"[a-z][A-Z]")
_KATAKANA = frozenset(map(chr, range(0x30A1, 0x3100)))
_LONGEST_GRAM = 5

_PERSON, _AGENT = 2.0, 1.0  # weight of a mention
_PHRASE, _IDENTIFIER, _NAME, _WRITTEN = 1.6, 1.3, 1.3, 1.5


class TopicCounter:
    """Counts in how many blocks each word was said. Memory is bounded by the number of distinct words kept."""

    def __init__(self) -> None:
        self._person: Counter[str] = Counter()
        self._agent: Counter[str] = Counter()

    def add(self, text: str, *, by_person: bool) -> Collection[str]:
        """Each word of a block is counted once; they are returned in small letters, in the order of first use.

        Words of unspaced scripts are not among them; they are found in the sample (`topics`).
        """
        low = text.lower()
        if low.isascii():
            words = dict.fromkeys(_ASCII_WORD.findall(low))
        elif UNSPACED_CHARACTER.search(low):
            words = dict.fromkeys(word for word in token_pattern(low).findall(low) if 2 <= len(word) <= _LONGEST)
        else:
            words = dict.fromkeys(_ANY_WORD.findall(low))
        counter = self._person if by_person else self._agent
        counter.update(words.keys())
        if len(counter) > 2 * _KEPT_WORDS:
            _prune(counter)
        return words.keys()

    def topics(self, said: Sequence[tuple[str, bool]], written: Iterable[str]) -> tuple[str, ...]:
        """At most 8 topics, best first.

        said: plain sentences that stand for the session, in order, and whether the person said them; phrases,
        identifiers, names and the words of unspaced scripts are found in these. written: the paths the session wrote.
        """
        scores: dict[str, float] = {}
        for counter, weight in ((self._person, _PERSON), (self._agent, _AGENT)):
            for word, count in counter.items():
                scores[word] = scores.get(word, 0.0) + weight * count
        common = common_words(scores)
        scores = {word: score for word, score in scores.items() if _describes(word, common)}
        pairs, identifiers, names, first = _phrases(said, common)
        surfaces = _merge_plurals(scores)
        stems = {part.lower() for path in written for part in re.split(r"[\W_]+", path.rsplit("/", 1)[-1])}
        candidates: list[tuple[float, str]] = []
        for word, score in surfaces.items():
            bonus = (_NAME if word in names else 1.0) * (_WRITTEN if word in stems else 1.0)
            candidates.append((score * bonus, word))
        candidates += [(score * _PHRASE, pair) for pair, score in pairs.items()]
        candidates += [(score * _IDENTIFIER, identifier) for identifier, score in identifiers.items()]
        candidates += [(score, word) for word, score in _unspaced(said).items()]
        candidates.sort(key=lambda scored: (-scored[0], first.get(scored[1], len(first)), scored[1]))
        return _choose(candidates)


def _prune(counter: Counter[str]) -> None:
    """Leave the more frequent words, at most `_KEPT_WORDS`; which ones does not depend on the order of hashing."""
    least = 1
    while len(counter) > _KEPT_WORDS and least <= 8:
        for word in [word for word, count in counter.items() if count <= least]:
            del counter[word]
        least *= 2
    if len(counter) > _KEPT_WORDS:
        ranked = sorted(counter.items(), key=lambda counted: (-counted[1], counted[0]))
        counter.clear()
        counter.update(dict(ranked[: _KEPT_WORDS // 2]))


def _describes(word: str, common: frozenset[str]) -> bool:
    return word not in common and len(word) <= _LONGEST and _LETTER_FIRST.match(word) is not None


def _phrases(
    said: Sequence[tuple[str, bool]], common: frozenset[str]
) -> tuple[dict[str, float], dict[str, float], set[str], dict[str, int]]:
    """The pairs of neighbouring content words said twice, the identifiers, the names, and where each came first."""
    pairs: dict[str, float] = {}
    pair_counts: Counter[str] = Counter()
    identifiers: dict[str, float] = {}
    names: set[str] = set()
    first: dict[str, int] = {}
    for text, by_person in said:
        weight = _PERSON if by_person else _AGENT
        previous, previous_end = "", -2
        for match in token_pattern(text).finditer(text):
            surface = match.group()
            token = surface.lower().removesuffix("'s").removesuffix("’s")
            first.setdefault(token, len(first))
            if not _describes(token, common):
                previous = ""
                continue
            jointed = _JOINT.search(token) is not None
            if jointed or _CAMEL.search(surface):
                parts = [part for part in _JOINT.split(token) if part]
                if jointed and any(part not in common and len(part) > 1 for part in parts) and not _is_address(token):
                    identifiers[token] = identifiers.get(token, 0.0) + weight
            elif match.start() > 0 and surface[0].isupper():
                names.add(token)
            if previous and match.start() == previous_end + 1 and text[previous_end] in " -":
                pair = f"{previous} {token}"
                first.setdefault(pair, len(first))
                pairs[pair] = pairs.get(pair, 0.0) + weight
                pair_counts[pair] += 1
            previous, previous_end = (token, match.end()) if not jointed else ("", -2)
    return {pair: score for pair, score in pairs.items() if pair_counts[pair] >= 2}, identifiers, names, first


def _unspaced(said: Sequence[tuple[str, bool]]) -> dict[str, float]:
    """Likely words of Han and katakana: what comes twice and is no part of something longer that comes as often."""
    counts: Counter[str] = Counter()
    scores: dict[str, float] = {}
    for text, by_person in said:
        if text.isascii():
            continue
        grams: dict[str, None] = {}
        for piece in unspaced_pieces(text):
            if piece[0] in _KATAKANA:
                grams[piece] = None
                continue
            for size in range(2, min(len(piece), _LONGEST_GRAM) + 1):
                grams.update(dict.fromkeys(piece[at : at + size] for at in range(len(piece) - size + 1)))
        for gram in grams:
            counts[gram] += 1
            scores[gram] = scores.get(gram, 0.0) + (_PERSON if by_person else _AGENT)
    parts = {
        part
        for gram, count in counts.items()
        for part in (gram[1:], gram[:-1])
        if gram[0] not in _KATAKANA and counts.get(part) == count
    }
    return {
        gram: score * (1 + len(gram) / 4) for gram, score in scores.items() if counts[gram] >= 2 and gram not in parts
    }


def _is_address(token: str) -> bool:
    return "@" in token or token.startswith("www.") or re.fullmatch(r"[\d.:/-]+", token) is not None


def _merge_plurals(scores: dict[str, float]) -> dict[str, float]:
    """One entry for a word and its plural or particle, under the form said most, with the scores of both."""
    groups: dict[str, list[tuple[float, str]]] = {}
    for word, score in scores.items():
        groups.setdefault(_stem(word), []).append((score, word))
    merged: dict[str, float] = {}
    for forms in groups.values():
        best = min(forms, key=lambda form: (-form[0], len(form[1]), form[1]))
        merged[best[1]] = sum(sorted(score for score, _ in forms))
    return merged


def _stem(word: str) -> str:
    if not word.isascii():
        return without_particle(word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _choose(candidates: list[tuple[float, str]]) -> tuple[str, ...]:
    chosen: list[str] = []
    covered: dict[str, float] = {}
    for score, topic in candidates:
        if score < _PERSON:
            break
        whole = _stem(topic)
        if UNSPACED_CHARACTER.match(topic):
            parts = [topic[at : at + 2] for at in range(len(topic) - 1)]
            if 2 * sum(part in covered for part in parts) >= len(parts):
                continue
        else:
            parts = [_stem(part) for part in re.split(r"[ ./@:_-]+", topic) if part]
            if any(score <= 2.5 * covered.get(part, 0.0) for part in (whole, *parts)):
                continue
        chosen.append(topic)
        if len(chosen) == LIMIT:
            break
        for part in (whole, *parts):
            covered[part] = max(covered.get(part, 0.0), score)
    return tuple(chosen)
