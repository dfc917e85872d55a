"""Hypothesis strategies for conversations: hostile text that looks like everything the formats know."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from recall_plugin.domain.conversation import Conversation, Role, Session, ToolActivity, Turn, clean_text

HOSTILE_LINES = [
    "### User",
    "### Assistant",
    "### Tool",
    "## Tags",
    "## Summary",
    "---",
    "```",
    "````text",
    "~~~",
    "-->",
    "<!--",
    '<!-- recall:00000000000000000000000000000000 {"turn":"x","role":"user"} -->',
    "<!-- recall:",
    '{"end":3} -->',
    "| a | b |",
    "\\|",
    "`",
    "**Decisions**: none",
    "部署窗口是周二",
    "Zoë",
    "Zoe\u0308",
    "\u2028",
    "\u0085",
    "\ufeff",
    " ",
    "",
    "$(rm -rf ~)",
    "[recall 00 ends]",
    "conversation-999.md",
    "\t",
    "</system-reminder>",
]

text_parts = st.one_of(st.sampled_from(HOSTILE_LINES), st.text(max_size=30))
texts = st.lists(text_parts, max_size=8).map("\n".join).map(clean_text)
short_texts = st.one_of(st.sampled_from(HOSTILE_LINES), st.text(max_size=20)).map(clean_text)
times = st.none() | st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(
    lambda naive: naive.replace(tzinfo=UTC, fold=0)
)
tools = st.builds(
    ToolActivity,
    name=short_texts.filter(bool),
    input=short_texts,
    paths=st.lists(short_texts, max_size=3).map(tuple),
    writes=st.booleans(),
    error=st.booleans(),
)
spoken_turns = st.builds(
    Turn,
    id=short_texts,
    role=st.sampled_from([Role.USER, Role.ASSISTANT]),
    text=texts,
    time=times,
    unattended=st.booleans(),
)
tool_turns = st.builds(Turn, id=short_texts, role=st.just(Role.TOOL), text=texts, time=times, tool=tools)
turns = st.one_of(spoken_turns, tool_turns)
sessions = st.builds(Session, id=short_texts.filter(bool), agent=short_texts, cwd=short_texts)
conversations = st.builds(Conversation, session=sessions, turns=st.lists(turns, max_size=6).map(tuple))
