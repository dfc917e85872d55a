"""How a person opens an exchange: a greeting, small talk, a request.

As in `cues`, everything here takes plain sentences in small letters, except where it says otherwise.
"""

from __future__ import annotations

import re

from recall_plugin.domain.text.scripts import word_set

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
