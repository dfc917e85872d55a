"""Cues: the rules by which a plain sentence is known to decide, to leave something to do, or to tell how it ended.

Each rule looks for a cue and then for what undoes it: a question, a condition, a negation or a quotation before it.
English is covered well, five other languages by a small table; a sentence in another language is missed, not mistaken.

Everything here takes sentences in small letters (`str.lower`): that is what makes the rules quick.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from recall_plugin.domain.text.scripts import word_set

STRONG, CLEAR, WEAK = 3, 2, 1


@dataclass(frozen=True)
class Rule:
    """A cue. words: no sentence matches without one of them; person_only: it counts in the person's mouth only."""

    words: frozenset[str]
    source: str
    strength: int
    person_only: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled at the first use: a hook imports this module for every session, and most rules are never tried."""
        return re.compile(self.source)


def rule(words: str, pattern: str, strength: int, *, person_only: bool = False) -> Rule:
    """A rule whose apostrophes match both kinds."""
    return Rule(word_set(words), pattern.replace("'", "['’]"), strength, person_only)


class Rules:
    """Rules in order of precedence. words: a sentence (or a whole text) without any of these needs no closer look."""

    def __init__(self, *rules: Rule) -> None:
        self.words = frozenset().union(*(each.words for each in rules))
        self._rules = rules
        self._by_word = {
            word: tuple(place for place, each in enumerate(rules) if word in each.words) for word in self.words
        }

    def strength(self, low: str, found: Collection[str], *, by_person: bool) -> int:
        """The strength of the first rule that fits `low` and is not undone, or 0. found: those of `words` in `low`."""
        for place in sorted({place for word in found for place in self._by_word.get(word, ())}):
            each = self._rules[place]
            if (by_person or not each.person_only) and (cue := each.pattern.search(low)) and _stands(low, cue.start()):
                return each.strength
        return 0


# --- what undoes a cue -----------------------------------------------------------------------------------------------

_ASKS = re.compile(
    r"(?:(?:so|and|but|or|well|ok|okay),? )?(?:should|shall|do|does|did|could|can|would|will|is|are|was|were|have"
    r"|has|which|what|who|whom"
    r"|whose|why|where|when|how)(?:n't|n’t)? (?:\w+ )?(?:we|i|you|they|he|she|it|that|this|the|there|about|is|are"
    r"|was|were|did|do|does|not)\b"
)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|assuming|imagine|maybe|perhaps|might|could|would|should|may"
    r"|hypothetically|wonder(?:ing)?"
    r"|consider(?:ing)?|in case|once|until|when|whenever|not sure|unsure|unclear|think(?:ing)? about|wish|hope"
    r"|wenn|falls|ob|vielleicht"
    r"|si|peut-être|quizás?|tal vez)\b|['’]d\b"
)
_NEGATED = re.compile(r"(?:\bnot|n['’]t|\bnever|\byet to|\bno|\bnothing|\bnobody|\bnone|\bhardly)(?: \w+){0,2} ?$")
_WIDE_UNDOES = re.compile(
    "[吗嗎么]$|[?？吗嗎]|是否|要不要|该不该|如果|假如|要是|还没|還沒|没有决定|尚未|未定|もし|かもしれ|でしょうか"
    "|ますか|まだ|べきか"
)
_AFTER_SENTENCE = "\"'”’)]»」』*_ "


def is_question(low: str) -> bool:
    """Whether a sentence asks: it ends with a question mark of some script, or begins as an English question."""
    return low.rstrip(_AFTER_SENTENCE)[-1:] in ("?", "？", "؟") or _ASKS.match(low) is not None


def _stands(low: str, at: int) -> bool:
    """Whether the cue at `at` is said, not supposed, denied or quoted."""
    if not at:
        return True
    before = low[:at]
    return not (
        _HYPOTHETICAL.search(before)
        or _NEGATED.search(before)
        or before.count('"') % 2
        or before.count("“") > before.count("”")
        or before.count("«") > before.count("»")
    )


def is_undone_in_wide_script(low: str) -> bool:
    """Whether a Chinese or Japanese sentence asks, supposes, or says that something is not settled yet."""
    return _WIDE_UNDOES.search(low) is not None


_TODO_TITLE = re.compile(
    r"(?:(?:suggested |recommended |remaining |open |your |my |possible |the )?(?:next steps?|to[- ]?dos?"
    r"|action items?|follow[- ]?ups?"
    r"|open (?:items|points|tasks)|remaining(?: work| tasks| items)?|left to do|still (?:open|to do)|what(?:['’]s"
    r"| is) (?:left|next)"
    r"|outstanding))\W*$|(?:nächste schritte|offene punkte|prochaines étapes|à faire|próximos pasos"
    r"|pendientes?)\W*$|下一步|待办|待辦|次のステップ|残タスク"
)
_DECISION_TITLE = re.compile(
    r"(?:(?:key |our |final |design )?decisions?(?: made| taken)?|(?:what )?we (?:decided|agreed)(?: on| that)?"
    r"|entscheidungen|décisions"
    r"|decisiones)\W*$|决定|決定事項"
)


def introduces(low: str) -> str:
    """What the items under a heading are: "actions", "decisions", or nothing that matters here."""
    if _TODO_TITLE.match(low):
        return "actions"
    return "decisions" if _DECISION_TITLE.match(low) else ""
