"""`pulse replay TRANSCRIPT`: a recorded session goes through the hooks, as if it took place in this host now.

The host's context holds at most a budget of tokens. Before a message would exceed it, the memory gets a checkpoint and
the context is compacted: only the newest messages stay. What the host hands over, to a checkpoint as to the archive at
the end, is every message that it still holds, in order. It holds the messages in its context, and besides

- messages that no receipt says are kept, so that a failed checkpoint loses nothing that the archive could save;
- all of them, in a session whose messages have no ids: these are known by their place, counted from the first one.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from pulse_hookspecs import (
    ArchiveReceipt,
    CheckpointReceipt,
    Down,
    Health,
    Message,
    Plugins,
    SessionMeta,
    TextBlock,
    ToolResultBlock,
    Transcript,
)
from pulse_host import settings as pulse_toml
from pulse_host import show
from pulse_host.errors import HostError, UsageError
from pulse_host.plugins import load
from pulse_host.progress import Progress, progress_on
from pulse_host.status import add_config_arguments

CHARACTERS_PER_TOKEN = 4
"""A rough mean over languages and tokenisers; good enough to decide when to compact."""

_SHAPE = """\
A token is taken to be 4 characters. The session is archived under its own id, so replaying it twice archives it once.

exit code: 0 when everything was kept and no plugin is down, else 1
--json: {"session_id", "agent", "messages", "tokens", "context_characters", "checkpoints": [receipt],
"archive": receipt, "health": {plugin: health}, "failure"}; a receipt that did not come is {"state": "down", "reason"}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("transcript", type=Path, metavar="TRANSCRIPT", help="a session's file, as its agent wrote it")
    add_config_arguments(parser)
    parser.add_argument(
        "--budget-tokens", type=int, default=100_000, metavar="N", help="compact before the context exceeds N (100000)"
    )
    parser.add_argument(
        "--keep-tokens", type=int, metavar="N", help="what a compaction keeps (default: a quarter of the budget)"
    )
    parser.add_argument("--session-id", metavar="ID", help="archive under this id instead of the session's own")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.epilog = _SHAPE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


@dataclass(slots=True)
class Window:
    """What a host holds of a session: the context that its model sees, and what it could still hand over.

    budget: tokens that the context may hold, at least 1. keep: tokens that survive a compaction, at least 0, less than
        the budget.
    held: every message that can still be handed over, oldest first. The context is a tail of it.
    tokens: the size of the context.
    """

    budget: int
    keep: int
    held: list[Message] = field(default_factory=list)
    tokens: int = 0
    _sizes: deque[int] = field(default_factory=deque)
    _seen: int = 0
    _forgot: bool = False

    def has_room_for(self, message: Message) -> bool:
        """Whether `message` fits into the budget. One that is too long for any context gets a context of its own."""
        return not self._sizes or self.tokens + tokens_of(message) <= self.budget

    def add(self, message: Message) -> None:
        """`message` is the newest in the context. One without an id gets its place as one, if older ones are gone."""
        self._seen += 1
        if self._forgot and not message.id:
            message = message.model_copy(update={"id": f"place-{self._seen}"})
        self.held.append(message)
        self._sizes.append(tokens_of(message))
        self.tokens += self._sizes[-1]

    def compact(self, message: Message, *, kept: bool) -> None:
        """The context holds the newest messages within `keep`, or fewer, so that `message` fits in behind them.

        kept: whether the memory has all that is held, and what left the context may be forgotten.
        """
        room = min(self.keep, max(0, self.budget - tokens_of(message)))
        while self.tokens > room:
            self.tokens -= self._sizes.popleft()
        if kept and all(held.id for held in self.held):
            del self.held[: len(self.held) - len(self._sizes)]
            self._forgot = True


def tokens_of(message: Message) -> int:
    """About how many tokens `message` costs, at least 1."""
    characters = 0
    for block in message.blocks:
        match block:
            case TextBlock() | ToolResultBlock():
                characters += len(block.text)
            case _:
                characters += len(block.name) + len(str(block.input))
    return max(1, -(-characters // CHARACTERS_PER_TOKEN))


@dataclass(slots=True)
class Replay:
    """What became of one session.

    context: what the memory put in front of it. checkpoints: one for each compaction. archive: the end.
    messages, tokens: how much was read. failure: why the transcript could not be read to its end; empty when it was.
    """

    session: SessionMeta
    context: str | Down | None
    checkpoints: list[CheckpointReceipt | Down] = field(default_factory=list)
    archive: ArchiveReceipt | Down = field(default_factory=lambda: Down(reason="the session did not end"))
    messages: int = 0
    tokens: int = 0
    failure: str = ""
    health: dict[str, Health] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0 when everything was kept and no plugin is down."""
        archived = isinstance(self.archive, ArchiveReceipt) and self.archive.archived
        down = any(isinstance(health, Down) for health in self.health.values())
        return 0 if archived and not down and not self.failure else 1


def run(arguments: argparse.Namespace, out: TextIO) -> int:
    """0 when the whole session was kept and no plugin is down, else 1."""
    window = _window(arguments)
    path = _transcript(arguments.transcript)
    settings = pulse_toml.find(arguments.dir, arguments.config)
    root = settings.existing_root()
    plugins = load(settings.disabled, hint=f"write that into {settings.path}")
    with plugins.running(pulse_root=root, pulse_name=settings.pulse_name, config=settings.sections):
        _refuse_without_memory(plugins)
        transcript = _opened(plugins, path)
        with progress_on(sys.stderr) as progress:
            replay = _replayed(plugins, transcript, window, progress, arguments.session_id)
        replay.health = plugins.health()
    if arguments.json:
        print(show.as_json(_json(replay)), file=out)
    else:
        _print(replay, out)
    return replay.exit_code


def _window(arguments: argparse.Namespace) -> Window:
    budget = arguments.budget_tokens
    keep = budget // 4 if arguments.keep_tokens is None else arguments.keep_tokens
    if budget < 1:
        raise UsageError(f"--budget-tokens {budget}: must be at least 1")
    if not 0 <= keep < budget:
        raise UsageError(f"--keep-tokens {keep}: must be at least 0, and less than the budget of {budget}")
    if arguments.session_id is not None and not arguments.session_id.strip():
        raise UsageError("--session-id: must not be empty")
    return Window(budget, keep)


def _transcript(path: Path) -> Path:
    path = path.expanduser().absolute()
    if not path.exists():
        raise HostError(f"{path}: there is no such file", hint="name the file that the agent wrote its session to")
    if not path.is_file():
        raise HostError(f"{path}: is not a file", hint="name one transcript, not a folder")
    if path.stat().st_size == 0:
        raise HostError(f"{path}: is empty", hint="there is nothing to replay")
    return path


def _refuse_without_memory(plugins: Plugins) -> None:
    """The Memory role is filled by a plugin that runs; otherwise reading a long session would be in vain."""
    healths = plugins.health()
    name = plugins.memory
    if name is not None and plugins.is_running(name):
        return
    wrong = "; ".join(f"{plugin}: {health.reason}" for plugin, health in healths.items() if isinstance(health, Down))
    raise HostError(f"nobody would keep the session: {show.printable(wrong)}", hint="see `pulse status`")


def _opened(plugins: Plugins, path: Path) -> Transcript:
    transcript = plugins.read_transcript(path)
    if transcript is None:
        readers = ", ".join(name for name in plugins.names if plugins.is_running(name))
        raise HostError(f"{path}: no plugin knows this kind of file (asked: {readers})", hint="is it a transcript?")
    if isinstance(transcript, Down):
        raise HostError(f"{path}: {transcript.reason}")
    return transcript


def _replayed(
    plugins: Plugins, transcript: Transcript, window: Window, progress: Progress, session_id: str | None
) -> Replay:
    """The session has begun, gone on, and ended."""
    session = transcript.session.model_copy(update={"ended_at": None})  # it is only about to begin
    if session_id is not None:
        session = SessionMeta.model_validate({**dict(session), "session_id": session_id})
    replay = Replay(session, plugins.session_context(session))
    newest = transcript.session.ended_at
    for message in transcript:
        if not window.has_room_for(message):
            _checkpoint(plugins, replay, window, message, progress)
        window.add(message)
        if message.time is not None:
            newest = max(newest or message.time, message.time)
        replay.messages += 1
        replay.tokens += tokens_of(message)
        progress.read(replay.messages, replay.tokens)
    replay.failure = transcript.failure.reason if transcript.failure is not None else ""
    if replay.messages == 0 and not replay.failure:
        raise HostError(f"the transcript holds no messages (read by {transcript.plugin})", hint="nothing was archived")
    if replay.messages:
        progress.say(f"archiving {len(window.held)} messages")
        replay.session = session.model_copy(update={"ended_at": newest})
        replay.archive = plugins.archive_session(replay.session, tuple(window.held))
    return replay


def _checkpoint(plugins: Plugins, replay: Replay, window: Window, message: Message, progress: Progress) -> None:
    progress.say(f"checkpoint {len(replay.checkpoints) + 1}, then compaction, before message {replay.messages + 1}")
    receipt = plugins.create_checkpoint(replay.session, tuple(window.held), "auto")
    replay.checkpoints.append(receipt)
    window.compact(message, kept=isinstance(receipt, CheckpointReceipt) and receipt.saved)


def _json(replay: Replay) -> dict[str, object]:
    return {
        "session_id": replay.session.session_id,
        "agent": replay.session.agent,
        "messages": replay.messages,
        "tokens": replay.tokens,
        "context_characters": len(replay.context) if isinstance(replay.context, str) else 0,
        "checkpoints": [receipt.model_dump(mode="json") for receipt in replay.checkpoints],
        "archive": replay.archive.model_dump(mode="json"),
        "health": {name: health.model_dump(mode="json") for name, health in replay.health.items()},
        "failure": replay.failure or None,
    }


def _print(replay: Replay, out: TextIO) -> None:
    def line(label: str, text: str) -> None:
        print(f"{label:<10}  {show.printable(text)}", file=out)

    session = replay.session
    line("session", f"{session.session_id}{f' of {session.agent}' if session.agent else ''}")
    line("read", f"{replay.messages} messages, about {replay.tokens} tokens")
    if replay.failure:
        line("", f"not to its end: {replay.failure}")
    match replay.context:
        case Down(reason=reason):
            line("context", f"none: {reason}")
        case context:
            line("context", f"{len(context or '')} characters put in front of the session")
    for receipt in replay.checkpoints:
        line("checkpoint", _receipt(receipt))
    line("archive", _receipt(replay.archive))
    for name, health in replay.health.items():
        line("health", f"{name} is {health.state}{''.join(f'; {reason}' for reason in show.reasons(health))}")


def _receipt(receipt: ArchiveReceipt | CheckpointReceipt | Down) -> str:
    if isinstance(receipt, Down):
        return f"FAILED: {receipt.reason}"
    kept = receipt.archived if isinstance(receipt, ArchiveReceipt) else receipt.saved
    if not kept:
        return f"FAILED: {'; '.join(receipt.reasons)}"
    counts = f"{receipt.new_messages} new messages, {receipt.already_known} known"
    return "; ".join([counts, *([receipt.archive] if receipt.archive else []), *receipt.notes])
