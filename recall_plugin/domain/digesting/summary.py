"""The summary of a session, in sentences that were said: what was wanted, what matters most, and how it ended."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recall_plugin.domain.digesting import cues, openings, outcomes, undoing
from recall_plugin.domain.digesting.prose import Kind, blocks, is_sentence, plain
from recall_plugin.domain.text.scripts import UNSPACED_CHARACTER, UNSPACED_RUN
from recall_plugin.domain.text.sentences import shorten, split_sentences
from recall_plugin.domain.text.words import FUNCTION_WORDS, common_words, says_nothing, token_pattern

SUMMARY_LIMIT = 500  # characters
_SENTENCE_LIMIT = 220  # characters of one sentence of it
_LOOKED_AT = 16  # sentences at the beginning of a turn, and as many at its end

_ENDS = re.compile(r"[.!?…。！？｡؟۔।॥][\"'”’»)\]」』]*\Z")
_WORD = re.compile(r"\w+")
_ENGLISH = common_words(())


class Said(NamedTuple):
    """A plain sentence.

    turn: the number of the turn it stands in.
    strength: how clearly it says what came of the work: 0 (it does not) to 3.
    """

    text: str
    turn: int
    by_person: bool
    strength: float = 0.0


def spoken(text: str) -> list[str]:
    """The sentences at the beginning and the end of a turn, still marked up, without headings and lists of tasks."""
    said: list[str] = []
    title = ""
    for kind, block in blocks(text):
        if kind is Kind.HEADING:
            title = cues.introduces(plain(block).lower())
        elif kind is Kind.TEXT or (kind is Kind.ITEM and not title):
            title = ""
            said += split_sentences(block)
            if len(said) > 4 * _LOOKED_AT:
                del said[_LOOKED_AT:-_LOOKED_AT]
    return said if len(said) <= 2 * _LOOKED_AT else said[:_LOOKED_AT] + said[-_LOOKED_AT:]


def wanted(text: str, limit: int) -> list[str]:
    """The first substantial plain sentences of a person's turn, without greetings; at most `limit`."""
    found: list[str] = []
    for sentence in spoken(text):
        said = plain(sentence)
        if not is_sentence(said):
            continue
        said = openings.without_salutation(said)
        low = said.lower()
        if _is_substantial(low) and not openings.is_small_talk(low):
            found.append(said)
            if len(found) == limit:
                break
    return found


def request(text: str) -> list[str]:
    """What a turn asks for: its first substantial sentence, and the first that is a request where that one is not."""
    found = wanted(text, 8)
    if not found or openings.is_request(found[0].lower()):
        return found[:1]
    return found[:1] + [said for said in found[1:] if openings.is_request(said.lower())][:1]


def told(text: str, turn: int) -> tuple[Said | None, Said | None]:
    """The first substantial sentence of an agent's turn, and the one that says best what came of the work.

    The strength of an outcome is below 1 where it is too short to stand alone ("Fixed.").
    """
    first: Said | None = None
    best: Said | None = None
    announced = False  # the sentence before was "Done." or the like
    for sentence in spoken(text):
        said = plain(sentence)
        if not is_sentence(said):
            continue
        low = said.lower()
        substantial = _is_substantial(low)
        idle = outcomes.is_closing(low) or openings.is_small_talk(low) or undoing.is_question(low)
        strength: float = outcomes.outcome(low, outcomes.OUTCOMES.words.intersection(_WORD.findall(low)))
        if announced and substantial and not idle:
            strength = max(strength, cues.CLEAR)
        announced = strength > 0 and not substantial
        if announced:
            strength = 0.5
        elif strength and low.endswith((":", "：")):
            strength -= 0.75
        if first is None and substantial and not idle:
            first = Said(said, turn, False, strength)
        if strength > (best.strength if best else 0):
            best = Said(said, turn, False, strength)
    return first, best


def first_words(text: str) -> str:
    """The first plain sentence of a turn, a greeting included, or nothing."""
    return next((said for said in map(plain, spoken(text)) if is_sentence(said)), "")


def summarise(
    opening: Sequence[str], said: Sequence[Said], ending: Said | None, topics: Sequence[str], elsewhere: Iterable[str]
) -> str:
    """One line of at most 500 characters: the request, what matters most between, the outcome. Cuts end with "…".

    opening: the sentences of the request; said: sentences that stand for the session, in order; ending: the outcome, or
    the last answer; topics: best first; elsewhere: what stands beside the summary (decisions), not to be repeated.
    """
    start = [_ended(shorten(text, _SENTENCE_LIMIT)) for text in opening if text]
    end = [_ended(shorten(ending.text, _SENTENCE_LIMIT))] if ending else []
    end = [text for text in end if text not in start]
    if len(" ".join(start + end)) > SUMMARY_LIMIT:
        start = start[:1]
    room = min(_SENTENCE_LIMIT, SUMMARY_LIMIT - 1 - len(" ".join(start + end)))
    around = [*start, *end, *elsewhere]
    middle = ""
    if ending and 0 < ending.strength < 1:
        # "Added." says little without what was asked for.
        asked = [each for each in said if each.by_person and each.turn < ending.turn and each.text not in opening]
        middle = _ended(shorten(asked[-1].text, _SENTENCE_LIMIT)) if asked else ""
    if not middle or len(middle) > room or middle in around:
        before = [each for each in said if ending is None or each.turn <= ending.turn]
        middle = _most_central(before, weights_of(topics), around, room)
    return " ".join([*start, *([middle] if middle else []), *end])


def weights_of(topics: Sequence[str]) -> dict[str, float]:
    """What holding a word of a topic is worth: 1 for the first topic, falling."""
    weights: dict[str, float] = {}
    for place, topic in enumerate(topics):
        for part in topic.split():
            weights.setdefault(part, 1 / (1 + place / 4))
    return weights


def centrality(said: Said, weights: dict[str, float]) -> float:
    """How much of the session's topics a sentence holds for its length. Reasons and results count more."""
    words = _content(said.text)
    held: float = sum(weights.get(word, 0.0) for word in words) / math.sqrt(6 + len(words))
    bonus = 0.5 * outcomes.is_cause(said.text.lower()) + 0.1 * said.strength + 0.2 * (not said.by_person)
    return held + bonus + 0.02 * min(len(words), 10)


def _most_central(said: Iterable[Said], weights: dict[str, float], around: Sequence[str], room: int) -> str:
    """The sentence that holds most of the topics, says mostly what `around` does not, and fits whole in `room`."""
    known = {word for text in around for word in _content(text)}
    best, best_score = "", 0.0
    for each in said:
        text = _ended(each.text)
        if len(text) > room:
            continue
        words = _content(text)
        fresh = sum(word not in known for word in words)
        if fresh < 2 + each.by_person or 2 * fresh < len(words):
            continue
        low = text.lower()
        if undoing.is_question(low) or outcomes.is_closing(low):
            continue
        score = centrality(each, weights)
        if score > best_score:
            best, best_score = text, score
    return best


def _content(text: str) -> list[str]:
    """The distinct words of a plain sentence that say something, in small letters, in order."""
    low = text.lower()
    content = [word for word in dict.fromkeys(token_pattern(low).findall(low)) if word not in _ENGLISH]
    if not low.isascii():
        for run in UNSPACED_RUN.findall(low):
            content += [run[at : at + 2] for at in range(len(run) - 1) if not says_nothing(run[at : at + 2])]
    return content


def _is_substantial(low: str) -> bool:
    """Three words of which one says something, five words, or four characters of an unspaced script."""
    words = _WORD.findall(low)
    if len(words) >= 5 or (len(words) >= 3 and not FUNCTION_WORDS.issuperset(words)):
        return True
    return not low.isascii() and sum(map(len, UNSPACED_RUN.findall(low))) >= 4


def _ended(text: str) -> str:
    """`text` with a full stop, where it ends without one or with a colon."""
    text = text.rstrip(" :：,;")
    if not text or _ENDS.search(text):
        return text
    return text + ("。" if UNSPACED_CHARACTER.match(text[-1]) else ".")
