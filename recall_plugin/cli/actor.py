"""Who types a command: a person at a terminal, or the agent (law 11).

A person is whoever has a terminal as stdin and as stderr, with no mark of a known agent in the environment and no known
agent among the parent processes. stdout does not matter, so that a person's output can be piped. This is best effort:
an agent that clears its environment, leaves its parents and opens a terminal of its own is taken for a person, and so
is one that edits files instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from recall_plugin.cli.parents import parents
from recall_plugin.domain.actor import Actor, ActorKind

# What agents set for the commands that they run. Variables by which people configure an agent (CODEX_HOME, AIDER_MODEL,
# HERMES_HOME, COPILOT_GITHUB_TOKEN) stand in many a person's shell and say nothing.
MARKERS = (
    "AGENT",
    "AI_AGENT",
    "AMP_CURRENT_THREAD_ID",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLINE_ACTIVE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_AGENT_SESSION_ID",
    "COPILOT_CLI",
    "CRUSH",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "GOOSE_TERMINAL",
    "GROK_AGENT",
    "GROK_HOOK_EVENT",
    "GROK_SESSION_ID",
    "HERMES_AGENT",
    "HERMES_INTERACTIVE",
    "HERMES_SESSION_ID",
    "HERMES_SESSION_KEY",
    "OPENCODE",
    "QWEN_CODE",
)
# The programs, packages and modules of agents.
PROGRAMS = frozenset(
    (
        "agy",
        "aider",
        "amp",
        "auggie",
        "claude",
        "claude-code",
        "cline",
        "codex",
        "copilot",
        "crush",
        "cursor-agent",
        "droid",
        "gemini",
        "gemini-cli",
        "goose",
        "grok",
        "hermes",
        "hermes_cli",
        "opencode",
        "qwen",
        "qwen-code",
    )
)

# Programs are also shipped under names such as codex-x86_64-unknown-linux-musl, of which the kernel keeps 15 letters.
_MACHINE = re.compile(r"-(?:x86_64|aarch64|arm64|linux|darwin).*")


def find_actor(environment: Mapping[str, str]) -> Actor:
    """Whoever called this process, as far as can be told, and by what. Cheap, but for commands that need it only."""
    for descriptor, stream in ((0, "stdin"), (2, "stderr")):
        if not os.isatty(descriptor):
            return Actor(ActorKind.AGENT, f"{stream} is no terminal")
    for marker in MARKERS:
        if environment.get(marker):
            return Actor(ActorKind.AGENT, f"{marker} is set")
    for parent in parents():
        for name in sorted(parent.names()):
            if _MACHINE.sub("", name) in PROGRAMS:
                return Actor(ActorKind.AGENT, f"process {parent.pid} `{name}` is a parent")
    return Actor(ActorKind.PERSON, "stdin and stderr are a terminal, and no agent was found around it")
