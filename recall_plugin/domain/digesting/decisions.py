"""Decisions: whether a plain sentence states one, in the words of the person or of the agent.

As in `cues`, sentences are given in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from recall_plugin.domain.digesting.cues import CLEAR, STRONG, WEAK, Rules, rule
from recall_plugin.domain.digesting.undoing import is_question, is_undone_in_wide_script

_WE = r"(?:we|i|you and i|the team|our team|everyone|everybody|both of us|we all|we both)"
_NOBODY = r"(?!(?:my|him|her|them|some|a friend|his|our|their|you|me|everyone)\b)"
_ADVERBS = (
    r"(?: (?:all|both|just|now|finally|already|then|therefore|also|have|unanimously|jointly|eventually|ultimately"
    r"|instead))*"
)
_LEAD_IN = (
    r"^(?:(?:please|and|also|so|ok|okay|no|yes|yep|right|actually|btw|by the way|then|but|important|note|rule"
    r"|remember(?: to)?|one more"
    r" thing|for the record|from now on|going forward)[,:;.!–—-]* )*"
)
_HANDLE = (
    r"(?:use|keep|prefer|write|call|name|put|make|stick|format|store|log|return|run|treat|pin|measure|report|commit"
    r"|sign|answer|reply|show)"
)
_CONTRAST = r"\b(?:instead of|rather than|(?:, |,? and )not|in favou?r of)\b"

DECISIONS = Rules(
    rule(
        "decided agreed chose chosen settled opted concluded standardised standardized committed picked",
        rf"\b{_WE}(?:'ve| have|'d| had)?{_ADVERBS} (?:decided|agreed (?:to|on|that|not|upon|it|we)|chose|chosen"
        rf"|settled (?:on|for|that)|opted"
        r"|concluded (?:that we|to)|standardi[sz]ed on|committed to (?!(?:main|master|git|the (?:repo|branch))\b)"
        r"|picked (?!up|out|him|her))",
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
        r"\blet's(?: just| now| then| all| also| always| instead| rather| not| please)* (?:go with|use|stick (?:to"
        r"|with)|switch|choose|pick"
        r"|settle on|adopt|drop|standardi[sz]e|call (?:it|this|the)|name (?:it|the)|avoid|migrate"
        r"|keep (?!\w+in[g']?\b|in touch|at it|it\b|up\b|each|every|you|our|the (?:good|faith|love)))",
        STRONG,
    ),
    rule("going", rf"(?:\b(?:i'm|i am|we're|we are)|^){_ADVERBS} ?going with {_NOBODY}", STRONG),
    rule(
        "instead rather not favor favour",
        rf"(?:\b(?:i'll|i will|we'll|we will|let's|i'm going to|we're going to|we|i)"
        rf"|{_LEAD_IN}){_ADVERBS} ?(?:always |only )*"
        rf"(?:use|take|adopt|choose|pick|keep|store|name|call)\b.{{1,120}}?{_CONTRAST}",
        CLEAR,
    ),
    rule("over", r"\b(?:prefer|choose|chose|pick|picked)\b.{1,80}? over\b", CLEAR, person_only=True),
    rule(
        "won will ll longer going",
        r"\b(?:we|i)(?:'ll never|'ll always|'ll no longer|'ll not| will never| will always| will not"
        r"| will no longer| no longer|'re not"
        r" going to| are not going to| aren't going to| won't)\b(?! (?:be able|work|lie|know|have time|make it"
        r"|matter|happen|compile|forget"
        r"|believe|regret|be|see|hear|get|miss|let|stop|give up|need|quit|stress|lose|remember|cherish|love|worry"
        r"|judge|hurt|deny|bore"
        r"|ask)\b)",
        CLEAR,
    ),
    rule("switch", rf"{_LEAD_IN}switch (?:\w+ ){{0,3}}?(?:to|over to)\b", CLEAR, person_only=True),
    rule(
        "switched switching switch migrated migrating",
        r"\b(?:i|we)(?:'ve| have|'re| are|'ll| will| am|'m)?(?: just| now)? (?:switched|switching|switch|migrated"
        r"|migrating) (?:\S+ ){0,4}?to\b",
        CLEAR,
    ),
    rule(
        "always never",
        rf"{_LEAD_IN}(?:always|never) (?!(?:mind|the|a|an|heard|seen|been|had|knew|thought|mattered|was|is|did"
        rf"|done|saw|tried|happened|here"
        r"|there|up|on|by|good|great|nice|happy|fun|glad|love|loved|give up|quit|say|too|so|such|in|at|before"
        r"|again|\w+ing)\b)\w",
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
        rf"{_LEAD_IN}{_HANDLE} .{{2,160}}\b(?:everywhere|from now on|going forward|in all cases|at all times"
        rf"|always|by default)[.!]*$",
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
        rf"{_LEAD_IN}(?:don't|do not|never|avoid)(?: ever)? (?:use|touch|commit|push|add|introduce|rename|delete"
        rf"|mock|break|rely|depend|store"
        r"|log|change|edit|modify|using|touching|adding|force)\b",
        CLEAR,
        person_only=True,
    ),
    rule("stick prefer", rf"{_LEAD_IN}(?:stick (?:to|with)|prefer) (?!me|us|it\b)\w", CLEAR, person_only=True),
    rule(
        "use",
        rf"{_LEAD_IN}use (?!(?:the|this|that|these|those|it|my|your|an?|what|whatever|all|some|any|one|both|them"
        rf"|more|less)\b)\w",
        WEAK,
        person_only=True,
    ),
    rule("using moving going", r"\bwe(?:'re| are) (?:now )?(?:using|moving to|going for)\b", WEAK, person_only=True),
    # German, French, Spanish
    rule(
        "entschieden beschlossen geeinigt gewählt",
        r"\b(?:wir|ich) (?:haben?|hatten?) (?:(?!nicht|noch|nie)\w+,? ){0,8}?"
        r"(?:entschieden|beschlossen|geeinigt|gewählt)\b",
        STRONG,
    ),
    rule(
        "nehmen verwenden benutzen nutzen",
        r"\b(?:nehmen|verwenden|benutzen|nutzen) wir\b|\bwir (?:nehmen|verwenden|benutzen|nutzen) (?:ab jetzt"
        r"|künftig|nur|immer|\w+ statt)",
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
        r"\b(?:on a|nous avons|j'ai)(?: tous| donc| finalement)? (?:décidé|choisi|convenu|opté)\b|\b(?:on part"
        r"|partons) sur\b",
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
_UP_TO_YOU = re.compile(r"\b(?:if (?:you|that|this|it)|unless you|or not\b|what do you think|depends on)")
_WIDE_DECISION = re.compile(
    "决定|決定し|選択し|选择了|選擇了|确定(?:使用|用|采用)|就用|改用|采用|採用(?:し|する)|一致同意|不再使用"
    "|统一(?:用|使用|采用)|说好了|定下来"
    "|決め(?:ました|た)|ことにし(?:ました|た|ます|よう)|に切り替え(?:ました|ます|た|る)|合意し"
)
_WIDE_DIRECTIVE = re.compile(
    "(?:请|請)?(?:始终|永远|总是|一律|务必|绝不|不要再|今后|以后)|(?:今後は|必ず|常に|絶対に|これからは)"
)


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
        if strength and is_undone_in_wide_script(low):
            return 0
    return 0 if strength and (is_question(low) or _UP_TO_YOU.search(low)) else strength


def may_decide_in_wide_script(text: str) -> bool:
    """Whether a text holds a Chinese or Japanese cue of a decision, so that its sentences are worth a closer look."""
    return _WIDE_DECISION.search(text) is not None or _WIDE_DIRECTIVE.search(text) is not None
