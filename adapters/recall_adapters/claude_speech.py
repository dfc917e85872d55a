"""Who speaks in a Claude Code record, and in which words.

The largest part of what the vendor files under `user` is no person: tool results, reminders, hook output, summaries.
The tags are those of public transcripts from 1.0.98 to 2.1.270, last looked at on 2026-09-18. It is a list, never
"everything that starts with <": people write about markup.
"""

from __future__ import annotations

import re

from recall_plugin.domain.conversation import clean_text

_NOT_THE_PERSON = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "turnCompanion")
# "typed", "queued", "sdk" and "suggestion_accepted" are people, as far as anyone can tell from the file.
_SCHEDULED = re.compile(r"schedul|cron|loop|^system$", re.IGNORECASE)
_PERSONS_ORIGINS = ("human", "unclassified")

_REMINDER = re.compile(r"<(/?)system-reminder>")
# What one of these holds was written by a program or by another agent and may spell the closing tag to smuggle words
# into the person's mouth, so it reaches to the last closing tag of the block.
_FOREIGN_TAGS = (
    "bash-stdout",
    "bash-stderr",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "task-notification",
    "teammate-message",
    "cross-session-message",
    "channel-message",
    "post-tool-use-hook",
    "user-prompt-submit-hook",
    "ide_diagnostics",
    "new-diagnostics",
    "fork-boilerplate",
)
# These stand before the person's words, or hold them. They reach to the first closing tag.
_NEARBY_TAGS = (
    "ide_opened_file",
    "ide_selection",
    "command-message",
    "command-name",
    "command-args",
    "skill-format",
    "bash-input",
    "user-memory-input",
)
_LEADING_TAG = re.compile(rf"\s*<({'|'.join(_FOREIGN_TAGS + _NEARBY_TAGS)})(?:\s[^<>]*)?>")

_INJECTED = (
    "Caveat: The messages below",
    "This session is being continued from a previous conversation that ran out of context",
    "Stop hook feedback:\n",
    "[Image: source: ",
)
_INTERRUPTIONS = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")

# Anchored at the vendor's own sentence: whoever can make a tool fail must not be able to speak for the person.
_REJECTION = re.compile(r"The user doesn['’]t want to [^\n]*?the user said:\n")
_NOTE_TO_THE_AGENT = "\n\nNote: The user's next message may contain a correction or preference."


def is_the_person(fields: dict[str, object]) -> bool:
    """Whether a user record, or the attachment of a queued one, may hold what a person said."""
    if any(fields.get(flag) is True for flag in _NOT_THE_PERSON):
        return False
    source = fields.get("promptSource")
    if isinstance(source, str) and _SCHEDULED.search(source):
        return False
    origin = fields.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return not isinstance(kind, str) or kind in _PERSONS_ORIGINS


def is_unattended(fields: dict[str, object]) -> bool:
    """Whether a record comes from a run without a terminal, whose prompts a program may have written."""
    entrypoint = fields.get("entrypoint")
    return fields.get("promptSource") == "sdk" or (isinstance(entrypoint, str) and entrypoint.startswith("sdk"))


def blocks_of(content: object) -> list[object]:
    """The blocks of a message's content, whichever of the vendor's shapes it has."""
    if isinstance(content, list):
        return content
    return [content] if isinstance(content, str | dict) else []


def text_of(block: object) -> str:
    """The text of a text block, or of a bare string; empty for any other block."""
    if isinstance(block, dict) and block.get("type") == "text":
        block = block.get("text")
    return block if isinstance(block, str) else ""


def persons_words(content: object) -> str:
    """What the person said in `content`, clean; `[image]` or `[document]` where that is all there is."""
    blocks = blocks_of(content)
    words = [said for block in blocks if (said := _without_injections(clean_text(text_of(block))))]
    if said := "\n".join(words).strip():
        return said
    kinds = [block.get("type") for block in blocks if isinstance(block, dict)]
    if "tool_result" in kinds:  # then an image beside it is the tool's
        return ""
    return next((f"[{kind}]" for kind in kinds if kind in ("image", "document")), "")


def agents_words(content: object) -> str:
    """What the agent said in `content`, clean. Its thoughts are not said."""
    words = [text for block in blocks_of(content) if (text := clean_text(text_of(block))).strip()]
    return "\n".join(words).strip()


def split_rejection(text: str) -> tuple[str, str]:
    """An error's text without the reason that the person gave for refusing the tool, and that reason, clean."""
    if (rejection := _REJECTION.match(text)) is None:
        return text, ""
    reason = text[rejection.end() :].partition(_NOTE_TO_THE_AGENT)[0]
    return rejection[0].rstrip(), persons_words(reason)


def _without_injections(text: str) -> str:
    """The person's own words in a clean text; a slash or shell command as it was typed."""
    if "<" in text:
        text = _without_reminders(text)
    said: list[str] = []
    command: dict[str, str] = {}
    place = 0
    while tag := _LEADING_TAG.match(text, place):
        name, closing = tag[1], f"</{tag[1]}>"
        end = text.rfind(closing, tag.end()) if name in _FOREIGN_TAGS else text.find(closing, tag.end())
        if end < 0:
            break
        inner = text[tag.end() : end].strip()
        if name in ("command-name", "command-args"):
            command[name] = inner
        elif name == "bash-input" and inner:
            said.append(f"! {inner}")
        elif name == "user-memory-input":
            said.append(inner)
        place = end + len(closing)
    if arguments := command.get("command-args"):  # without them, nobody said a word
        name = command.get("command-name", "").removeprefix("/")
        said.append(f"/{name} {arguments}" if name else arguments)
    rest = text[place:].lstrip("\n") if place else text
    if rest.strip() not in _INTERRUPTIONS and not rest.lstrip().startswith(_INJECTED):
        said.append(rest)
    return "\n".join(words for words in said if words.strip())


def _without_reminders(text: str) -> str:
    """`text` without what stands between a pair of reminder tags. A tag without its partner is the person's."""
    opened: list[int] = []
    spans: list[tuple[int, int]] = []
    for tag in _REMINDER.finditer(text):
        if not tag[1]:
            opened.append(tag.start())
        elif opened:
            start = opened.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, tag.end()))
    kept: list[str] = []
    place = 0
    for start, end in spans:
        kept.append(text[place:start])
        place = end
    return "".join([*kept, text[place:]])
