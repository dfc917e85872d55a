"""What undoes a cue: a question, a condition, a negation or a quotation before it.

As in `cues`, everything here takes plain sentences in small letters.
"""

from __future__ import annotations

import re

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


def stands(low: str, at: int) -> bool:
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
