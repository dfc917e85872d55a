"""The exchange: how a person opens it (a greeting, a request) and how the agent closes it (an outcome, a farewell).

As in `cues`, everything here takes plain sentences in small letters, except where it says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from recall_plugin.domain.digesting.cues import CLEAR, STRONG, Rules, is_question, rule
from recall_plugin.domain.text.scripts import word_set

# --- how it ended ----------------------------------------------------------------------------------------------------

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


# --- what was wanted -------------------------------------------------------------------------------------------------

_GREETINGS = word_set("hi hello hey heya hiya yo howdy greetings dear hallo moin servus bonjour salut hola ciao olá")
_GREETING = (
    rf"(?:{'|'.join(sorted(_GREETINGS))}|good (?:morning|afternoon|evening|day)|guten (?:tag|morgen|abend)"
    r"|buen[oa]s (?:días|tardes|noches))"
)
_SALUTATION = re.compile(
    rf"{_GREETING}\b(?: (?!(?:can|could|please|i|we|the|what|how|why|is|are|do)\b)[\w-]+){{0,2}}[\s,!.:–—-]+",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    rf"(?:{_GREETING}(?:[ ,]+[\w-]+){{0,3}}"
    r"|(?:so |and |well )?(?:how are (?:you|things)|how(?:'s| is) it going|how have you been|how do you do"
    r"|what's up|what's new"
    r"|(?:nice|good|great|lovely) to (?:see|meet|hear|chat|talk|catch|be)|long time no see|are you (?:there|ready)"
    r"|can you hear me|anything new"
    r"|hope you)\b.*"
    r"|(?:ok|okay|k|kk|yes|yeah|yep|yup|sure|no|nope|nah|thanks|thank you|thx|ty|cheers|great|perfect|nice|cool"
    r"|awesome|excellent|lgtm"
    r"|(?:looks|sounds) (?:good|great|cool|fun|amazing|awesome|perfect|nice|fine)|got it|done|right|correct"
    r"|exactly|agreed|please|go on|go ahead"
    r"|go for it|continue|proceed|carry on|keep going|next|more|again|try again|retry|wow|oh|hm+|yay|ship it|do it"
    r"|stop|wait|never mind|good|ja"
    r"|nein|danke|weiter|gut|oui|non|merci|d'accord|sí|si|gracias|vale|bien)(?:[ ,!.]+(?:[\w'’-]+)){0,3}"
    r"|你好.{0,4}|您好.{0,4}|谢谢.{0,3}|好的.{0,3}|好|是的|是|继续.{0,2}|嗯+|可以|こんにちは.{0,3}|おはよう.{0,4}"
    r"|ありがとう.{0,6}|はい"
    r"|お願いします)[\s!.,~。！，…:)?？]*$".replace("'", "['’]")
)
# The words that small talk begins with: most sentences begin with another, and are done with at once.
_SMALL_TALK_FIRST = _GREETINGS | word_set(
    """
    good guten buenos buenas so and well how what nice great lovely long are can anything hope ok okay k kk yes
    yeah yep yup sure no nope nah thanks thank thx ty cheers perfect cool awesome excellent lgtm looks sounds
    got done right correct exactly agreed please go continue proceed carry keep next more again try retry wow oh
    hm hmm hmmm yay ship do stop wait never ja nein danke weiter gut oui non merci d sí si gracias vale bien
    """
)
_FIRST_WORD = re.compile(r"\w+")
_REQUEST = re.compile(
    r"[?？؟]\W*$|^(?:please|can|could|would|will|help|let's|let us|i(?:'d| would) like|i (?:want|need)|we (?:want"
    r"|need)|how|why|what|where|which"
    r"|when|who|add|allow|analy[sz]e|ask|build|change|check|clean|compare|convert|create|debug|delete|deploy"
    r"|describe|design|document|draft|explain"
    r"|extend|find|fix|generate|give|go through|implement|improve|install|investigate|look|make|merge|migrate|move"
    r"|optimi[sz]e|plan|port|prepare"
    r"|publish|read|refactor|release|remove|rename|replace|research|review|rewrite|run|search|set|show|sort|split"
    r"|start|summari[sz]e|support|switch"
    r"|take|tell|test|translate|try|turn|update|upgrade|use|verify|walk|write)\b"
    r"|\b(?:can you|could you|would you|please|i (?:want|need)|i'd like|bitte|kannst du|können sie|peux-tu"
    r"|pouvez-vous|puedes|por favor)\b"
    r"|请|帮我|幫我|ください|してほしい|お願い".replace("'", "['’]")
)


def without_salutation(sentence: str) -> str:
    """A sentence, in any letters, without the greeting it opens with; then it begins with a capital letter again."""
    first = _FIRST_WORD.match(sentence)
    if first is None or first.group().lower() not in _SMALL_TALK_FIRST:
        return sentence
    greeting = _SALUTATION.match(sentence)
    if greeting is None:
        return sentence
    rest = sentence[greeting.end() :]
    return rest[0].upper() + rest[1:] if rest[:1].islower() and rest.split(" ", 1)[0].isalpha() else rest


def is_small_talk(low: str) -> bool:
    """Whether a sentence only greets, thanks, agrees or tells the agent to go on."""
    if len(low) > 80:
        return False
    first = _FIRST_WORD.match(low)
    if low.isascii() and (first is None or first.group() not in _SMALL_TALK_FIRST):
        return False
    return _SMALL_TALK.match(low) is not None


def is_request(low: str) -> bool:
    """Whether a sentence asks for something."""
    return _REQUEST.search(low) is not None
