"""A digest: what a session was about, what it decided and left to do, extracted without any model.

Nothing is written that was not said: the summary, the decisions and the action items are sentences of the session in
plain words. The same turns give the same digest, whatever the machine, its locale, its time zone or its hash seed.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from datetime import UTC, datetime
from typing import NamedTuple

from recall_plugin.domain.conversation import Role, ToolActivity, Turn
from recall_plugin.domain.digest import Digest
from recall_plugin.domain.digesting import cues, decisions, tasks
from recall_plugin.domain.digesting.prose import Kind, blocks, is_sentence, plain
from recall_plugin.domain.digesting.summary import (
    Said,
    centrality,
    first_words,
    request,
    summarise,
    told,
    wanted,
    weights_of,
)
from recall_plugin.domain.digesting.topics import TopicCounter
from recall_plugin.domain.text.scripts import word_set
from recall_plugin.domain.text.sentences import shorten, split_sentences

DECISIONS_LIMIT = ACTIONS_LIMIT = 5
_ITEM_LIMIT = 300  # characters of a decision or an action item
_READ_HEAD, _READ_TAIL = 48_000, 16_000  # characters: what is read of a longer turn
_KEPT_HEAD, _KEPT_TAIL = 2_000, 2_000  # characters: what is kept of a turn for the summary
_KEPT = 64  # candidates for decisions, and for action items
_SAMPLE = 256  # turns that stand for the session
_LATEST = 24  # turns of the agent in which the outcome is looked for
_ANSWERS = 4  # of them, those that may hold the answer where nothing is told as an outcome
_KEPT_PATHS, _KEPT_TOOLS = 1000, 256

_SLASH_COMMAND = re.compile(r"/[\w:-]+(?:\s+|\Z)")
_NOT_TYPED = (
    "This session is being continued",
    "[Request interrupted",
    "Caveat: The messages below",
    "<system-",
    "<command-",
    "<local-command",
)
_WORD = re.compile(r"\w+")
_INTERJECTIONS = word_set("ok okay yes yep right so and well then")


class _Statement(NamedTuple):
    order: int
    by_person: bool
    strength: int
    text: str


class _Statements:
    """The strongest statements of a kind, the later of two equals, none twice; about a hundred at the most."""

    def __init__(self) -> None:
        self._kept: dict[str, _Statement] = {}
        self._order = 0

    def add(self, text: str, strength: int, *, by_person: bool) -> None:
        if not is_sentence(text):
            return
        self._order += 1
        text = shorten(text, _ITEM_LIMIT)
        known = self._kept.get(key := _key(text))
        if known is None or (by_person and not known.by_person):
            self._kept[key] = _Statement(self._order, by_person, strength, text)
        if len(self._kept) > 2 * _KEPT:
            self._kept = dict(self._ranked()[:_KEPT])

    def best(self, limit: int, without: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """At most `limit`, the person's first, each in the order said. without: keys of those that do not count."""
        chosen: list[tuple[_Statement, frozenset[str]]] = []
        for key, statement in self._ranked():
            words = frozenset(key.split()) - _INTERJECTIONS
            if key in without:
                continue
            same = next((place for place, (_, other) in enumerate(chosen) if _is_same(words, other)), None)
            if same is None:
                chosen.append((statement, words))
            elif len(words) > len(chosen[same][1]) and statement.by_person >= chosen[same][0].by_person:
                chosen[same] = (statement, words)  # the fuller of two that say the same
            if len(chosen) == limit:
                break
        chosen.sort(key=lambda pair: (not pair[0].by_person, pair[0].order))
        return tuple(statement.text for statement, _ in chosen)

    def _ranked(self) -> list[tuple[str, _Statement]]:
        return sorted(
            self._kept.items(), key=lambda item: (-item[1].strength - item[1].by_person / 2, -item[1].order, item[0])
        )


def _key(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _is_same(words: frozenset[str], other: frozenset[str]) -> bool:
    """Whether four fifths of the shorter statement's words are in the other."""
    return bool(words and other) and 5 * len(words & other) >= 4 * min(len(words), len(other))


def _may_say_in_wide_script(text: str) -> bool:
    return decisions.may_decide_in_wide_script(text) or tasks.may_leave_in_wide_script(text)


class _Kept(NamedTuple):
    turn: int
    by_person: bool
    text: str


class DigestBuilder:
    """Takes the turns of one session in order and gives its digest. Memory does not grow with their number or size.

    The prompt of a headless run says what was wanted, but decides nothing in the person's name.

    Of a turn longer than 64,000 characters its first 48,000 and last 16,000 are read; of what tools printed, nothing.
    """

    def __init__(self) -> None:
        self._turns = dict.fromkeys(Role, 0)
        self._first_at: datetime | None = None
        self._last_at: datetime | None = None
        self._files: set[str] = set()
        self._tools: Counter[str] = Counter()
        self._topics = TopicCounter()
        self._decisions = _Statements()
        self._actions = _Statements()
        self._done: set[str] = set()
        self._request: list[str] = []
        self._first_words = ""
        self._number = 0
        self._latest: deque[_Kept] = deque(maxlen=_LATEST)
        self._latest_asked: _Kept | None = None
        self._sample: list[_Kept] = []
        self._stride = 1

    def add(self, turn: Turn) -> None:
        """The turn is part of the digest. Linear in the part of its text that is read."""
        self._turns[turn.role] += 1
        if turn.time is not None:
            self._note_time(turn.time)
        if turn.tool is not None:
            self._note_tool(turn.tool)
            return
        by_person = turn.role is Role.USER
        text = turn.text
        if len(text) > _READ_HEAD + _READ_TAIL:
            text = f"{text[:_READ_HEAD]}\n\n{text[-_READ_TAIL:]}"
        if by_person:
            text = text.lstrip()
            if text.startswith("!"):  # a shell command
                return
            if text.startswith("/") and (command := _SLASH_COMMAND.match(text)):
                text = text[command.end() :]
        if not text or text.isspace():
            return
        self._read(text, by_person=by_person and not turn.unattended)
        if by_person and text.startswith(_NOT_TYPED):
            return
        if len(text) > _KEPT_HEAD + _KEPT_TAIL:
            text = (
                f"{text[:_KEPT_HEAD].rpartition(' ')[0] or text[:_KEPT_HEAD]}\n\n{text[-_KEPT_TAIL:].partition(' ')[2]}"
            )
        self._keep(text, by_person=by_person)

    def finish(self) -> Digest:
        """The digest of all turns added so far."""
        said, ending = self._tell()
        files = tuple(sorted(self._files))
        topics = self._topics.topics(
            [(text, True) for text in self._request] + [(each.text, each.by_person) for each in said], files
        )
        if ending is None:
            weights = weights_of(topics)
            answers = [first for kept in list(self._latest)[-_ANSWERS:] if (first := told(kept.text, kept.turn)[0])]
            ending = max(answers, key=lambda answer: (centrality(answer, weights), answer.turn), default=None)
        decided = self._decisions.best(DECISIONS_LIMIT)
        return Digest(
            summary=summarise(self._request or [self._first_words], said, ending, topics, decided),
            topics=topics,
            decisions=decided,
            action_items=self._actions.best(ACTIONS_LIMIT, without=frozenset(self._done)),
            files=files,
            tools=tuple(self._tools.items()),
            user_turns=self._turns[Role.USER],
            assistant_turns=self._turns[Role.ASSISTANT],
            first_at=self._first_at,
            last_at=self._last_at,
        )

    def _note_time(self, time: datetime) -> None:
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time
        if self._first_at is None or time < self._first_at:
            self._first_at = time
        if self._last_at is None or time > self._last_at:
            self._last_at = time

    def _note_tool(self, tool: ToolActivity) -> None:
        if tool.name in self._tools or len(self._tools) < _KEPT_TOOLS:
            self._tools[tool.name] += 1
        if tool.writes and not tool.error:
            for path in tool.paths:
                if len(self._files) < _KEPT_PATHS:
                    self._files.add(path)

    def _read(self, text: str, *, by_person: bool) -> None:
        """The words of a turn are counted, its decisions and tasks noted."""
        title = ""
        for kind, block in blocks(text):
            words = self._topics.add(block, by_person=by_person)
            if kind is Kind.HEADING:
                title = cues.introduces(plain(block).lower())
            elif kind is Kind.DONE:
                if len(self._done) < 4 * _KEPT:
                    self._done.add(_key(shorten(plain(block), _ITEM_LIMIT)))
            elif kind is Kind.TODO or (kind is Kind.ITEM and title):
                statements = self._decisions if kind is Kind.ITEM and title == "decisions" else self._actions
                statements.add(plain(block), cues.STRONG, by_person=by_person)
            else:
                title = ""
                decides = decisions.DECISIONS.words.intersection(words)
                leaves = tasks.TASKS.words.intersection(words)
                if decides or leaves or (not block.isascii() and _may_say_in_wide_script(block)):
                    self._look_for_cues(block, decides, leaves, by_person=by_person)

    def _look_for_cues(self, block: str, decides: frozenset[str], leaves: frozenset[str], *, by_person: bool) -> None:
        for sentence in split_sentences(block):
            low = sentence[:_ITEM_LIMIT].lower()
            found = [word for word in decides if word in low]
            left = [word for word in leaves if word in low]
            if not (found or left) and (low.isascii() or not _may_say_in_wide_script(low)):
                continue
            text = plain(sentence)
            low = text.lower()
            if strength := decisions.decision(low, found, by_person=by_person):
                self._decisions.add(text, strength, by_person=by_person)
            elif strength := tasks.task(low, left, by_person=by_person):
                self._actions.add(tasks.without_label(text), strength, by_person=by_person)

    def _keep(self, text: str, *, by_person: bool) -> None:
        """The turn is among the latest, and joins the sample: each while it is short, later every second, fourth, …"""
        kept = _Kept(self._number, by_person, text)
        self._number += 1
        if not by_person:
            self._latest.append(kept)
        elif not self._request:
            self._request = request(text)
            self._first_words = self._first_words or first_words(text)
        if kept.turn % self._stride == 0:
            self._sample.append(kept)
            if len(self._sample) > _SAMPLE:
                self._sample = self._sample[::2]
                self._stride *= 2

    def _tell(self) -> tuple[list[Said], Said | None]:
        """Sentences that stand for the session, in order, and how it ended, where that was told."""
        said: list[Said] = []
        for kept in self._sample:
            if kept.by_person:
                said += [Said(text, kept.turn, True) for text in wanted(kept.text, 2) if text not in self._request]
            else:
                first, best = told(kept.text, kept.turn)
                said += [each for each in (first, best if best != first else None) if each]
        ending: Said | None = None
        for kept in reversed(self._latest):
            best = told(kept.text, kept.turn)[1]
            if best and (ending is None or best.strength >= 1):
                ending = best
            if ending and ending.strength >= 1:
                break
        return said, ending
