"""How the agent closes an exchange: an outcome, a cause, a farewell.

As in `cues`, everything here takes plain sentences in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from recall_plugin.domain.digesting.cues import CLEAR, STRONG, Rules, rule
from recall_plugin.domain.digesting.undoing import is_question

_DID = (
    "added|addressed|applied|archived|booked|built|bumped|changed|cleaned|closed|committed|completed|configured"
    "|converted|corrected|created"
    "|deleted|deployed|disabled|documented|dropped|enabled|enforced|extracted|fixed|found|implemented|improved"
    "|installed|landed|merged|migrated"
    "|moved|paid|patched|published|pushed|rebased|refactored|released|removed|renamed|repaired|replaced|resolved"
    "|restored|reverted|rewrote"
    "|rewritten|scheduled|sent|set up|shipped|solved|split|tagged|traced|unified|updated|upgraded|verified|wired"
    "|wrote|written"
)
_DID_WORDS = _DID.replace("set up", "set").replace("|", " ")
# "I recreated" is a result; "I looked", "I checked" are not.
_NO_RESULT = (
    "look|check|tri|need|want|search|ask|lov|lik|enjoy|notic|hop|assum|expect|consider|talk|visit|watch|start|agre"
    "|decid|wonder|remember|miss"
    "|inspect|review|scann|call|happen|plann|learn|play|turn|seem"
)

OUTCOMES = Rules(
    rule(
        "cause culprit problem bug issue reason error",
        r"\b(?:root cause|cause|culprit|(?:real |actual |underlying )?(?:problem|bug|issue|reason|error)) (?:was"
        r"|is|turned out|came|lay|lies)\b"
        r"(?! (?:solved|fixed|resolved|gone))",
        STRONG,
    ),
    rule("turned turns caused", r"\bturn(?:ed|s) out (?:to be|that|the|it)\b|\b(?:is|was) caused by\b", STRONG),
    rule(
        "done finished fixed committed merged deployed pushed released shipped published resolved solved",
        r"^(?:all )?(?:done|finished|fixed|committed|merged|deployed|pushed|released|shipped|published|resolved"
        r"|solved)\b"
        r"|\b(?:is|are|was|were|has been|have been|it's|they're)(?: now| successfully| all)? (?:fixed|resolved"
        r"|solved|merged|deployed|committed|pushed"
        r"|released|done)\b",
        STRONG,
    ),
    rule(
        "live place complete gone ready", r"\b(?:is|are)(?: now| all)? (?:live|in place|complete|gone|ready)\b", CLEAR
    ),
    rule(
        _DID_WORDS,
        rf"^(?:(?:so|and|ok|okay|great|good news|done|yes|right|alright)[,:.!–—-]* )*(?:i|we)(?:'ve| have)?(?: now"
        rf"| just| also| successfully)* (?:{_DID})\b",
        STRONG,
    ),
    rule(
        _DID_WORDS + " in place",
        rf"^(?:{_DID})\b(?! (?:to|by|in) be)|^(?:\S+ ){{1,4}}(?:is in|in place|{_DID})[.!]$|\b(?:is|are|was|were"
        rf"|has been|have been)(?: now)? (?:{_DID})\b",
        CLEAR,
    ),
    rule(
        "i we",
        rf"^(?:i|we)(?:'ve| have)?(?: now| just| also| successfully)* (?!(?:{_NO_RESULT})\w*ed\b)\w{{3,}}ed\b",
        CLEAR,
    ),
    rule(
        "test tests suite build check checks ci everything spec specs",
        r"\b(?:tests?|suite|build|checks?|ci|everything|specs?)(?: \w+)? (?:now )?(?:pass(?:es|ed)?|(?:is"
        r"|are) (?:now )?(?:green|passing|clean))\b",
        CLEAR,
    ),
    rule("now longer", r"\bnow (?:\w+s\b|works?\b|pass(?:es)?\b|run\b|return\b)|\bno longer \w", CLEAR),
    rule(
        "could couldn cannot can unable able still blocked failed did",
        r"\bcould(?:n't| not) (?!agree|wait|believe|have|be|imagine|care|stop|help)\w|\b(?:cannot"
        r"|can't) (?:reproduce|find|connect|access|be \w+ed)\b"
        r"|\b(?:unable to|was not able to|still fails?|is still failing|blocked (?:by|on)|failed to|did not work)\b",
        CLEAR,
    ),
    rule(
        "behoben erledigt fertig gelöst repariert ursache",
        r"\b(?:behoben|erledigt|fertig|gelöst|repariert|die ursache (?:war|ist))\b",
        STRONG,
    ),
    rule(
        "corrigé terminé résolu réparé cause", r"\b(?:corrigé|terminé|résolu|réparé|la cause (?:était|est))\b", STRONG
    ),
    rule(
        "corregido arreglado resuelto terminado causa",
        r"\b(?:corregido|arreglado|resuelto|terminado|la causa (?:era|es|fue))\b",
        STRONG,
    ),
)
_PLANNED = re.compile(
    r"\b(?:i['’]ll|i will|let me|i['’]m going to|i am going to|we['’]ll|we will|going to|want me to|would you"
    r"|let['’]s|next,? i|i can|i could(?! not)|you can"
    r"|you could|need to|needs to|to be)\b|^(?:now )?(?:let|first|next)\b|^now,? (?:i|let|to|we)\b"
)
_WIDE_OUTCOME = re.compile(
    "已(?:经)?(?:修复|完成|提交|合并|部署|解决|添加|更新|推送|發布|发布)|修复了|完成了|解决了|原因是|问题(?:在于"
    "|出在|是)|修正しました|完了しました"
    "|解決しました|追加しました|コミットしました|原因は|直しました|対応しました"
)
_CAUSE = re.compile(
    r"\b(?:cause|culprit|reason|because|due to|turned out|ursache|weil|parce que|porque)\b|原因|因为|ため"
)
_CLOSING = re.compile(
    r"(?:let me know|feel free|happy to|is there anything|anything else|you['’]re welcome|glad|hope (?:this|that)"
    r"|if you(?:['’]d)? (?:like|want|need)"
    r"|want me|would you like|shall i|should i|good luck|enjoy|have a (?:great|nice|good)|sure|of course"
    r"|no problem|great question|good question|thanks?"
    r"|thank you|take care|bye)\b|\("
)


def outcome(low: str, found: Collection[str]) -> int:
    """How clearly a sentence says what came of the work: 0 (it does not) to 3.

    found: those of `OUTCOMES.words` in it.
    """
    if not low.isascii() and _WIDE_OUTCOME.search(low):
        return 0 if is_question(low) else STRONG
    strength = OUTCOMES.strength(low, found, by_person=False) if found else 0
    return 0 if strength and (is_question(low) or _PLANNED.search(low) or _CLOSING.match(low)) else strength


def is_cause(low: str) -> bool:
    """Whether a sentence gives a reason."""
    return _CAUSE.search(low) is not None


def is_closing(low: str) -> bool:
    """Whether a sentence only offers, thanks, takes leave, remarks in brackets, or announces the next move."""
    return _CLOSING.match(low) is not None or _PLANNED.match(low) is not None
