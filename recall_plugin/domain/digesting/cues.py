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

from recall_plugin.domain.digesting.undoing import stands
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
            if (by_person or not each.person_only) and (cue := each.pattern.search(low)) and stands(low, cue.start()):
                return each.strength
        return 0


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
