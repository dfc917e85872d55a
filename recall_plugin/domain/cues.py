"""Cues: whether a plain sentence states a decision, or leaves something to do.

Each rule looks for a cue and then for what undoes it: a question, a condition, a negation or a quotation before it. English is
covered well, five other languages by a small table; a sentence in another language is missed, not mistaken.

Everything here takes sentences in small letters (`str.lower`): that is what makes the rules quick.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

STRONG, CLEAR, WEAK = 3, 2, 1


class Rule(NamedTuple):
    """A cue. words: no sentence matches without one of them; person_only: it counts in the person's mouth only."""

    words: frozenset[str]
    pattern: re.Pattern[str]
    strength: int
    person_only: bool


def rule(words: str, pattern: str, strength: int, *, person_only: bool = False) -> Rule:
    """A rule whose apostrophes match both kinds."""
    return Rule(frozenset(words.split()), re.compile(pattern.replace("'", "['’]")), strength, person_only)


class Rules:
    """Rules in order of precedence. words: a sentence (or a whole text) without any of these needs no closer look."""

    def __init__(self, *rules: Rule) -> None:
        self.words = frozenset().union(*(each.words for each in rules))
        self._rules = rules
        self._by_word = {
            word: tuple(place for place, each in enumerate(rules) if word in each.words) for word in self.words
        }

    def strength(self, low: str, found: Collection[str], *, by_person: bool) -> int:
        """The strength of the first rule that `low` keeps and nothing undoes, or 0. found: those of `words` in `low`."""
        for place in sorted({place for word in found for place in self._by_word.get(word, ())}):
            each = self._rules[place]
            if (by_person or not each.person_only) and (cue := each.pattern.search(low)) and _stands(low, cue.start()):
                return each.strength
        return 0


# --- what undoes a cue -----------------------------------------------------------------------------------------------

_ASKS = re.compile(
    r"(?:(?:so|and|but|or|well|ok|okay),? )?(?:should|shall|do|does|did|could|can|would|will|is|are|was|were|have|has|which|what|who|whom"
    r"|whose|why|where|when|how)(?:n't|n’t)? (?:\w+ )?(?:we|i|you|they|he|she|it|that|this|the|there|about|is|are|was|were|did|do|does|not)\b"
)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|assuming|imagine|maybe|perhaps|might|could|would|should|may|hypothetically|wonder(?:ing)?"
    r"|consider(?:ing)?|in case|once|until|when|whenever|not sure|unsure|unclear|think(?:ing)? about|wish|hope|wenn|falls|ob|vielleicht"
    r"|si|peut-être|quizás?|tal vez)\b|['’]d\b"
)
_UP_TO_YOU = re.compile(r"\b(?:if (?:you|that|this|it)|unless you|or not\b|what do you think|depends on)")
_NEGATED = re.compile(r"(?:\bnot|n['’]t|\bnever|\byet to|\bno|\bnothing|\bnobody|\bnone|\bhardly)(?: \w+){0,2} ?$")
_WIDE_UNDOES = re.compile("[吗嗎么]$|[?？吗嗎]|是否|要不要|该不该|如果|假如|要是|还没|還沒|没有决定|尚未|未定|もし|かもしれ|でしょうか|ますか|まだ|べきか")
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


# --- decisions -------------------------------------------------------------------------------------------------------

_WE = r"(?:we|i|you and i|the team|our team|everyone|everybody|both of us|we all|we both)"
_NOBODY = r"(?!(?:my|him|her|them|some|a friend|his|our|their|you|me|everyone)\b)"
_ADVERBS = r"(?: (?:all|both|just|now|finally|already|then|therefore|also|have|unanimously|jointly|eventually|ultimately|instead))*"
_LEAD_IN = (
    r"^(?:(?:please|and|also|so|ok|okay|no|yes|yep|right|actually|btw|by the way|then|but|important|note|rule|remember(?: to)?|one more"
    r" thing|for the record|from now on|going forward)[,:;.!–—-]* )*"
)
_HANDLE = (
    r"(?:use|keep|prefer|write|call|name|put|make|stick|format|store|log|return|run|treat|pin|measure|report|commit|sign|answer|reply|show)"
)
_CONTRAST = r"\b(?:instead of|rather than|(?:, |,? and )not|not|in favou?r of)\b"

DECISIONS = Rules(
    rule(
        "decided agreed chose chosen settled opted concluded standardised standardized committed picked",
        rf"\b{_WE}(?:'ve| have|'d| had)?{_ADVERBS} (?:decided|agreed (?:to|on|that|not|upon|it|we)|chose|chosen|settled (?:on|for|that)|opted"
        r"|concluded (?:that we|to)|standardi[sz]ed on|committed to (?!(?:main|master|git|the (?:repo|branch))\b)|picked (?!up|out|him|her))",
        STRONG,
    ),
    rule("went gone", rf"\b{_WE}(?:'ve| have)?{_ADVERBS} (?:went|gone) with {_NOBODY}", STRONG),
    rule(
        "agreed decided settled decision verdict",
        r"^(?:agreed|decided|settled|final decision|decision|verdict)(?: \w+){0,3}: ?\S|^decided (?:to|on|against)\b",
        STRONG,
    ),
    rule("decision", r"\b(?:the|our|final|my) decision (?:is|was|stands)\b(?! (?:still|not|yet|pending|open))", STRONG),
    rule(
        "decided agreed settled",
        r"\b(?:was|were|is|are|has been|have been|it's|that's)(?: now| finally| already)? (?:decided|agreed|settled)\b",
        STRONG,
    ),
    rule(
        "let",
        r"\blet's(?: just| now| then| all| also| always| instead| rather| not| please)* (?:go with|use|stick (?:to|with)|switch|choose|pick"
        r"|settle on|adopt|drop|standardi[sz]e|call (?:it|this|the)|name (?:it|the)|avoid|migrate"
        r"|keep (?!\w+in[g']?\b|in touch|at it|it\b|up\b|each|every|you|our|the (?:good|faith|love)))",
        STRONG,
    ),
    rule("going", rf"(?:\b(?:i'm|i am|we're|we are)|^){_ADVERBS} ?going with {_NOBODY}", STRONG),
    rule(
        "instead rather not favor favour",
        rf"(?:\b(?:i'll|i will|we'll|we will|let's|i'm going to|we're going to|we|i)|{_LEAD_IN}){_ADVERBS} ?(?:always |only )*"
        rf"(?:use|using|take|adopt|choose|pick|keep|store|name|call)\b.{{1,120}}?{_CONTRAST}",
        CLEAR,
    ),
    rule("over", r"\b(?:prefer|choose|chose|pick|picked)\b.{1,80}? over\b", CLEAR, person_only=True),
    rule(
        "won will ll longer going",
        r"\b(?:we|i)(?:'ll never|'ll always|'ll no longer|'ll not| will never| will always| will not| will no longer| no longer|'re not"
        r" going to| are not going to| aren't going to| won't)\b(?! (?:be able|work|lie|know|have time|make it|matter|happen|compile|forget"
        r"|believe|regret|be|see|hear|get|miss|let|stop|give up|need|quit|stress|lose|remember|cherish|love|worry|judge|hurt|deny|bore"
        r"|ask)\b)",
        CLEAR,
    ),
    rule("switch", rf"{_LEAD_IN}switch (?:\w+ ){{0,3}}?(?:to|over to)\b", CLEAR, person_only=True),
    rule(
        "switched switching switch migrated migrating",
        r"\b(?:i|we)(?:'ve| have|'re| are|'ll| will| am|'m)?(?: just| now)? (?:switched|switching|switch|migrated|migrating) (?:\S+ ){0,4}?to\b",
        CLEAR,
    ),
    rule(
        "always never",
        rf"{_LEAD_IN}(?:always|never) (?!(?:mind|the|a|an|heard|seen|been|had|knew|thought|mattered|was|is|did|done|saw|tried|happened|here"
        r"|there|up|on|by|good|great|nice|happy|fun|glad|love|loved|give up|quit|say|too|so|such|in|at|before|again|\w+ing)\b)\w",
        CLEAR,
        person_only=True,
    ),
    rule(
        "now forward henceforth rule",
        r"^(?:please )?(?:from now on|going forward|henceforth|as a rule)\b[, ]",
        CLEAR,
        person_only=True,
    ),
    rule(
        "everywhere now forward cases times always default",
        rf"{_LEAD_IN}{_HANDLE} .{{2,160}}\b(?:everywhere|from now on|going forward|in all cases|at all times|always|by default)[.!]*$",
        CLEAR,
        person_only=True,
    ),
    rule(
        "keep make treat",
        rf"{_LEAD_IN}(?:keep|make|treat) .{{2,80}} as the (?:only|default|single|one|unit|source|name|standard)\b",
        CLEAR,
        person_only=True,
    ),
    rule(
        "always never everywhere",
        r"^\W*(?:[\w.-]+ ){0,5}[\w.-]+, (?:please )?(?:always|never|everywhere)[.!]*$",
        CLEAR,
        person_only=True,
    ),
    rule(
        "don not never avoid",
        rf"{_LEAD_IN}(?:don't|do not|never|avoid)(?: ever)? (?:use|touch|commit|push|add|introduce|rename|delete|mock|break|rely|depend|store"
        r"|log|change|edit|modify|using|touching|adding|force)\b",
        CLEAR,
        person_only=True,
    ),
    rule("stick prefer", rf"{_LEAD_IN}(?:stick (?:to|with)|prefer) (?!me|us|it\b)\w", CLEAR, person_only=True),
    rule(
        "use",
        rf"{_LEAD_IN}use (?!(?:the|this|that|these|those|it|my|your|an?|what|whatever|all|some|any|one|both|them|more|less)\b)\w",
        WEAK,
        person_only=True,
    ),
    rule("using moving going", r"\bwe(?:'re| are) (?:now )?(?:using|moving to|going for)\b", WEAK, person_only=True),
    # German, French, Spanish
    rule(
        "entschieden beschlossen geeinigt gewählt",
        r"\b(?:wir|ich) (?:haben?|hatten?) (?:\w+,? ){0,8}?(?:entschieden|beschlossen|geeinigt|gewählt)\b",
        STRONG,
    ),
    rule(
        "nehmen verwenden benutzen nutzen",
        r"\b(?:nehmen|verwenden|benutzen|nutzen) wir\b|\bwir (?:nehmen|verwenden|benutzen|nutzen) (?:ab jetzt|künftig|nur|immer|\w+ statt)",
        STRONG,
    ),
    rule(
        "jetzt künftig immer niemals nie",
        r"^(?:bitte )?(?:ab jetzt|künftig|immer|niemals|nie) (?!wenn|noch|mehr\b)\w",
        CLEAR,
        person_only=True,
    ),
    rule(
        "décidé choisi convenu opté part partons",
        r"\b(?:on a|nous avons|j'ai)(?: tous| donc| finalement)? (?:décidé|choisi|convenu|opté)\b|\b(?:on part|partons) sur\b",
        STRONG,
    ),
    rule(
        "désormais toujours jamais maintenant",
        r"^(?:désormais|toujours|jamais),? \w|^à partir de maintenant\b",
        CLEAR,
        person_only=True,
    ),
    rule(
        "decidido decidimos acordado acordamos elegimos elegido optamos vamos",
        r"\b(?:hemos |he )?(?:decidido|decidimos|acordado|acordamos|elegimos|elegido|optamos)\b|\bvamos con\b",
        STRONG,
    ),
    rule(
        "siempre nunca ahora adelante",
        r"^(?:siempre|nunca) \w|^(?:a partir de ahora|de ahora en adelante)\b",
        CLEAR,
        person_only=True,
    ),
)
_WIDE_DECISION = re.compile(
    "决定|決定し|選択し|选择了|選擇了|确定(?:使用|用|采用)|就用|改用|采用|採用(?:し|する)|一致同意|不再使用|统一(?:用|使用|采用)|说好了|定下来"
    "|決め(?:ました|た)|ことにし(?:ました|た|ます|よう)|に切り替え(?:ました|ます|た|る)|合意し"
)
_WIDE_DIRECTIVE = re.compile("(?:请|請)?(?:始终|永远|总是|一律|务必|绝不|不要再|今后|以后)|(?:今後は|必ず|常に|絶対に|これからは)")


def decision(low: str, found: Collection[str], *, by_person: bool) -> int:
    """How clearly a sentence states a decision: 0 (it does not) to 3. Directives count from the person only.

    found: those of `DECISIONS.words` that occur in it.
    """
    strength = DECISIONS.strength(low, found, by_person=by_person) if found else 0
    if not strength and not low.isascii():
        if _WIDE_DECISION.search(low):
            strength = STRONG
        elif by_person and _WIDE_DIRECTIVE.match(low):
            strength = CLEAR
        if strength and _WIDE_UNDOES.search(low):
            return 0
    return 0 if strength and (is_question(low) or _UP_TO_YOU.search(low)) else strength


# --- what is left to do ----------------------------------------------------------------------------------------------

_LABEL_TEXT = r"(?:todo|fixme|to do|action items?|next steps?|follow[- ]?ups?|open|remaining|outstanding)\b(?:\([^)]*\))?\s?[:–—-] ?"
_LABEL = re.compile(_LABEL_TEXT)

ACTIONS = Rules(
    rule("todo fixme do action next follow followup followups open remaining outstanding", rf"^{_LABEL_TEXT}\S", STRONG),
    rule(
        "remember forget yet",
        r"(?:^|[,;:] |\b(?:please|and|also|just|but) )(?:remember|don't forget|do not forget) to (?!(?:take|have|be|stay|enjoy|relax|smile"
        r"|rest|find|listen|get|breathe|celebrate|focus|pause|give yourself)\b)\w|\b(?:i|we) (?:still )?have yet to \w",
        STRONG,
    ),
    rule(
        "still eventually later",
        r"\b(?:we|i|you|someone)(?:'ll| will)? (?:still|also still|eventually|later) (?:(?:need|have|want) to|need|must|should)\b(?! (?:no|not)\b)",
        STRONG,
    ),
    rule(
        "still left remains remaining",
        r"\bstill (?:needs?|to be|open|pending|outstanding|missing|has to|have to)\b|\b(?:left|remains|remaining) to (?:do|be|\w+)\b",
        STRONG,
    ),
    rule("next", r"\bnext steps? (?:is|are|would be|will be)\b", CLEAR),
    rule(
        "follow following followup",
        r"\bfollow(?:ing)?[- ]?up (?:on|with|issue|ticket|pr|by)\b|\b(?:needs?|as) a follow[- ]?up\b",
        CLEAR,
    ),
    rule(
        "tomorrow later tonight next monday tuesday wednesday thursday friday eventually point follow followup after",
        r"\b(?:i'll|i will|we'll|we will|i'm going to|we're going to|let's|we should|please|we need to|i need to|you need to|you should)\b.{2,160}?"
        r"\b(?:tomorrow|later|tonight|next (?:week|sprint|month|time|session|release)|on (?:mon|tues|wednes|thurs|fri)day|eventually|at some"
        r" point|in a follow[- ]?up|after the (?:release|merge|deploy\w*))\b",
        CLEAR,
    ),
    rule("need", r"\b(?:we|you)(?:'ll| will) need to \w", WEAK),
    rule("noch vergessen", r"\b(?:wir|ich) (?:müssen|muss) noch\b|\bnicht vergessen\b|\bsteht noch aus\b|\bnoch offen\b", CLEAR),
    rule("faut faudra reste oublie oubliez", r"\bil (?:faut|faudra|reste) (?:encore|à)\b|\bn'oublie[zr]? pas\b|\breste à \w", CLEAR),
    rule(
        "falta queda quedan olvides olvidar olvide hay",
        r"\b(?:falta|queda(?:n)?) (?:por )?\w+[aei]r\b|\bno (?:te )?olvid\w+\b|\bhay que \w+[aei]r\b",
        CLEAR,
    ),
)
_CHAT = re.compile(r"\b(?:see|talk to|catch(?: up)?|speak to|text|call)(?: with)? (?:you|ya|u)\b|\blet you know\b|\bkeep (?:that|it|this) in mind\b")
_OVER = re.compile(
    r"\b(?:no longer|don['’]t|doesn['’]t|didn['’]t|not) (?:need|have to)\b|\bnothing (?:is )?(?:left|remaining)\b|\bno (?:todos?|remaining)\b"
)
_WIDE_ACTION = re.compile(
    "待办|待辦|下一步|接下来(?:要|需要)|别忘|記得|记得|还需要|還需要|稍后|明天|尚需|未完成|忘れずに|次のステップ|残タスク|あとで|後で|明日"
    "|必要があります|しておく(?:必要|こと)"
)


def action(low: str, found: Collection[str], *, by_person: bool) -> int:
    """How clearly a sentence leaves something to be done: 0 (it does not) to 3. found: those of `ACTIONS.words` in it."""
    strength = ACTIONS.strength(low, found, by_person=by_person) if found else 0
    if strength and (_CHAT.search(low) or _OVER.search(low)):
        return 0
    if not strength and not low.isascii() and _WIDE_ACTION.search(low):
        strength = 0 if _WIDE_UNDOES.search(low) else CLEAR
    return 0 if strength and is_question(low) else strength


def without_label(task: str) -> str:
    """A task without the "TODO:" or "Next step:" before it."""
    label = _LABEL.match(task.lower())
    return task[label.end() :] if label else task


_WIDE = re.compile(f"{_WIDE_DECISION.pattern}|{_WIDE_DIRECTIVE.pattern}|{_WIDE_ACTION.pattern}")


def may_say_in_wide_script(text: str) -> bool:
    """Whether a text holds a Chinese or Japanese cue, so that its sentences are worth a closer look."""
    return _WIDE.search(text) is not None


_TODO_TITLE = re.compile(
    r"(?:(?:suggested |recommended |remaining |open |your |my |possible |the )?(?:next steps?|to[- ]?dos?|action items?|follow[- ]?ups?"
    r"|open (?:items|points|tasks)|remaining(?: work| tasks| items)?|left to do|still (?:open|to do)|what(?:['’]s| is) (?:left|next)"
    r"|outstanding))\W*$|(?:nächste schritte|offene punkte|prochaines étapes|à faire|próximos pasos|pendientes?)\W*$|下一步|待办|待辦|次のステップ|残タスク"
)
_DECISION_TITLE = re.compile(
    r"(?:(?:key |our |final |design )?decisions?(?: made| taken)?|(?:what )?we (?:decided|agreed)(?: on| that)?|entscheidungen|décisions"
    r"|decisiones)\W*$|决定|決定事項"
)


def introduces(low: str) -> str:
    """What the items under a heading are: "actions", "decisions", or nothing that matters here."""
    if _TODO_TITLE.match(low):
        return "actions"
    return "decisions" if _DECISION_TITLE.match(low) else ""
