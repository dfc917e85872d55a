"""Tasks: whether a plain sentence leaves something to do.

As in `cues`, sentences are given in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from recall_plugin.domain.digesting.cues import CLEAR, STRONG, WEAK, Rules, rule
from recall_plugin.domain.digesting.undoing import is_question, is_undone_in_wide_script

_LABEL_TEXT = (
    r"(?:todo|fixme|to do|action items?|next steps?|follow[- ]?ups?|open|remaining|outstanding)\b(?:\([^)]*\))?"
    r"\s?[:–—-] ?"
)
_LABEL = re.compile(_LABEL_TEXT)

TASKS = Rules(
    rule(
        "todo fixme do action next follow followup followups open remaining outstanding", rf"^{_LABEL_TEXT}\S", STRONG
    ),
    rule(
        "remember forget yet",
        r"(?:^|[,;:] |\b(?:please|and|also|just|but) )(?:remember|don't forget|do not forget) to (?!(?:take|have"
        r"|be|stay|enjoy|relax|smile"
        r"|rest|find|listen|get|breathe|celebrate|focus|pause|give yourself)\b)\w|\b(?:i|we) (?:still )?have yet to \w",
        STRONG,
    ),
    rule(
        "still eventually later",
        r"\b(?:we|i|you|someone)(?:'ll| will)? (?:still|also still|eventually|later) (?:(?:need|have|want) to|need"
        r"|must|should)\b(?! (?:no|not)\b)",
        STRONG,
    ),
    rule(
        "still left remains remaining",
        r"\bstill (?:needs?|to be|open|pending|outstanding|missing|has to|have to)\b|\b(?:left|remains"
        r"|remaining) to (?:do|be|\w+)\b",
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
        r"\b(?:i'll|i will|we'll|we will|i'm going to|we're going to|let's|we should|please|we need to|i need to"
        r"|you need to|you should)\b.{2,160}?"
        r"\b(?:tomorrow|later|tonight|next (?:week|sprint|month|time|session|release)|on (?:mon|tues|wednes|thurs"
        r"|fri)day|eventually|at some"
        r" point|in a follow[- ]?up|after the (?:release|merge|deploy\w*))\b",
        CLEAR,
    ),
    rule("need", r"\b(?:we|you)(?:'ll| will) need to \w", WEAK),
    rule(
        "noch vergessen",
        r"\b(?:wir|ich) (?:müssen|muss) noch\b|\bnicht vergessen\b|\bsteht noch aus\b|\bnoch offen\b",
        CLEAR,
    ),
    rule(
        "faut faudra reste oublie oubliez",
        r"\bil (?:faut|faudra|reste) (?:encore|à)\b|\bn'oublie[zr]? pas\b|\breste à \w",
        CLEAR,
    ),
    rule(
        "falta queda quedan olvides olvidar olvide hay",
        r"\b(?:falta|queda(?:n)?) (?:por )?\w+[aei]r\b|\bno (?:te )?olvid\w+\b|\bhay que \w+[aei]r\b",
        CLEAR,
    ),
)
_CHAT = re.compile(
    r"\b(?:see|talk to|catch(?: up)?|speak to|text|call)(?: with)? (?:you|ya|u)\b|\blet you know\b|\bkeep (?:that"
    r"|it|this) in mind\b"
)
_OVER = re.compile(
    r"\b(?:no longer|don['’]t|doesn['’]t|didn['’]t|not) (?:need|have to)\b|\bnothing (?:is )?(?:left|remaining)\b"
    r"|\bno (?:todos?|remaining)\b"
)
_WIDE_TASK = re.compile(
    "待办|待辦|下一步|接下来(?:要|需要)|别忘|記得|记得|还需要|還需要|稍后|明天|尚需|未完成|忘れずに|次のステップ"
    "|残タスク|あとで|後で|明日"
    "|必要があります|しておく(?:必要|こと)"
)


def task(low: str, found: Collection[str], *, by_person: bool) -> int:
    """How clearly a sentence leaves something to be done: 0 (it does not) to 3. found: those of `TASKS.words` in it."""
    strength = TASKS.strength(low, found, by_person=by_person) if found else 0
    if strength and (_CHAT.search(low) or _OVER.search(low)):
        return 0
    if not strength and not low.isascii() and _WIDE_TASK.search(low):
        strength = 0 if is_undone_in_wide_script(low) else CLEAR
    return 0 if strength and is_question(low) else strength


def without_label(text: str) -> str:
    """A task without the "TODO:" or "Next step:" before it."""
    label = _LABEL.match(text.lower())
    return text[label.end() :] if label else text


def may_leave_in_wide_script(text: str) -> bool:
    """Whether a text holds a Chinese or Japanese cue of a task, so that its sentences are worth a closer look."""
    return _WIDE_TASK.search(text) is not None
