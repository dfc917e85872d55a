# The bodies below are their docstrings: pluggy reads a hook's name and arguments here, and never calls it.
# mypy: disable-error-code="empty-body"
"""The contract between a pulse host and its plugins: every hook there is.

A plugin is a class, an instance or a module whose functions are marked with `hookimpl`. It registers itself under the
entry-point group `pulse.plugins`; a class is instantiated once, without arguments. It implements

    every plugin        plugin_meta
    a Memory plugin     archive_session, create_checkpoint, health
    where it has a use  setup_prompts, start, stop, session_context, read_transcript

and it may leave out arguments that it does not need. A Memory plugin keeps what is said between a person and an agent,
and gives back what a new session should know. The host goes by exactly one.

**The life of a plugin.**

    plugin_meta ─ setup_prompts ─ start ─┬─ session_context ─ create_checkpoint* ─ archive_session ─┬─ stop
                                         └───────────── any number of sessions, ────────────────────┘
                                                        also at the same time

`health` and `read_transcript` come at any time between `start` and `stop`. `plugin_meta` and `setup_prompts` come
before, and may be the only ones: importing, instantiating and these two must touch no file, network or other process.

**Calling.** The host passes every argument by keyword. It calls one hook of a plugin at a time, though not always from
the same thread; only a stream of messages is advanced between other calls. Hooks are plain functions, never coroutines.
Each says how many seconds it may block; an async host therefore calls it in a thread (`await asyncio.to_thread(...)`).
No host can interrupt a hook that takes longer; it only learns too late. What a hook cannot finish in its time, the
plugin does later, in a thread or process of its own that ends at `stop`.

**Failing.** A problem that the plugin understands is an answer: a receipt with reasons, a `Degraded`, a `Down`. An
exception is a problem that it did not foresee: the host goes on without the answer and shows the plugin as `Down`, with
the exception as the reason, until the same hook succeeds again. So is an answer of the wrong type. A
`KeyboardInterrupt` is the person's, and passes through plugin and host: what is half done must not look whole
afterwards.
"""

from __future__ import annotations

from pathlib import Path

from pulse_hookspecs.markers import hookspec
from pulse_hookspecs.types import (
    ArchiveReceipt,
    CheckpointReceipt,
    Health,
    Message,
    PluginMeta,
    SessionMeta,
    SetupPrompt,
    StartContext,
    TranscriptReading,
)


@hookspec
def plugin_meta() -> PluginMeta:
    """The host knows who the plugin is and which role it fills. May block for 0.1 s.

    Called: once, right after the plugin was loaded, before every other hook.
    With: nothing.
    Returns: name, version, role and description, the same every time.
    May block: 0.1 s. It reads constants and touches nothing.
    If it raises: the plugin is broken. It is shown as `Down`, and none of its hooks is called.
    """


@hookspec
def setup_prompts() -> tuple[SetupPrompt, ...]:
    """The host knows what to ask the person before the plugin can start. May block for 0.1 s.

    Called: when a pulse is set up (`pulse init`), before `start`; also again later, to find questions that are new.
    With: nothing. The answers come back in `StartContext.config`, under each prompt's key.
    Returns: the questions in the order in which to ask them, each key once; none where the plugin needs no answers.
    May block: 0.1 s. It reads constants and touches nothing.
    If it raises: nothing is asked for this plugin, which is shown as `Down`; the other plugins are set up.
    """


@hookspec
def start(context: StartContext) -> None:
    """The plugin is ready for every other hook. May block for 10 s.

    Called: once, before the first session; again only after `stop`, or after a `start` that raised. Plugins start in
        the order of their entry points' names.
    With:
        context   the pulse's root folder and name, the plugin's section of the config, a language model or None.
    Returns: nothing.
    May block: 10 s. It makes and opens what the plugin keeps under `context.pulse_root`; longer work goes on behind it,
        and `health` tells how far it is.
    If it raises: the plugin is `Down` with that reason and none of its hooks is called, not even `stop`; so let go of
        what was opened before raising. The other plugins start. A memory that can still keep sessions although
        something is wrong (a config it refuses, an index it cannot open) does not raise: its `health` says so.
    """


@hookspec
def stop() -> None:
    """The plugin has let go of everything: files, locks, threads, processes. May block for 10 s.

    Called: once for each `start` that returned, in the reverse order of starting, also when the host ends because of an
        error or is interrupted. Sessions may be open: what they said was given to `create_checkpoint`, or is not known.
    With: nothing.
    Returns: nothing. All that a receipt said was kept is on disk.
    May block: 10 s.
    If it raises: the exception is kept as the plugin's reason, and the other plugins are stopped all the same.
    """


@hookspec(firstresult=True)
def session_context(session: SessionMeta) -> str | None:
    """The host knows what to put in front of a new session. May block for 2 s.

    Called: on the Memory plugin, when a session begins or is resumed, before the first message goes to the model.
    With:
        session   who talks, and where. Its messages do not exist yet.
    Returns: text for the model to read before anything else, or None where there is nothing to say. The plugin keeps it
        within a length fit for every session (a few thousand tokens), and marks it as recalled, so that it recognises
        its own words when they come back in the messages.
    May block: 2 s. A person is waiting.
    If it raises: the session begins without it.
    """


@hookspec(firstresult=True)
def create_checkpoint(session: SessionMeta, messages: tuple[Message, ...], trigger: str) -> CheckpointReceipt:
    """What was said so far is safe, whatever the host forgets next. May block for 30 s.

    Called: on the Memory plugin, before the host shortens its context, and whenever the person asks for it. Any number
        of times in a session, also with nothing new.
    With:
        session   what is known of it by now; it goes on.
        messages  as for `archive_session`.
        trigger   why: "auto" before a compaction that the host decided on, "manual" when the person asked, or another
                  word of the host's.
    Returns: a receipt: whether every message is kept now, in which file, how many of them were new. `saved=False` comes
        with reasons.
    May block: 30 s. Return when the messages are on disk; indexing and summing up come later.
    If it raises: the host goes on and compacts, and the plugin is `Down` with that reason. The messages are offered
        again only as far as the host still holds them, so some may be lost: better to keep them badly than to raise.
    """


@hookspec(firstresult=True)
def archive_session(session: SessionMeta, messages: tuple[Message, ...]) -> ArchiveReceipt:
    """The whole session is in the memory. May block for 60 s.

    Called: on the Memory plugin, when a session ends: the person left, the host stops, a transcript was replayed. Again
        when the same session is resumed and ends once more.
    With:
        session   what is known of it by now.
        messages  all that the host still holds, in the order in which they were said. After a compaction these are the
                  newest ones only: the memory has the others from the checkpoint before it, and tells them by their
                  `id`. Messages without ids come whole, from the session's first one on, and are told by their place.
    Returns: a receipt: whether every message is kept now, in which file, how many were new and how many were known. A
        message is kept once, however often it is given. `archived=False` comes with reasons.
    May block: 60 s. Return when the messages are on disk; indexing and learning come later.
    If it raises: the session ends without an archive, and the plugin is `Down` with that reason.
    """


@hookspec(firstresult=True)
def read_transcript(path: Path) -> TranscriptReading | None:
    """The session in a file can be read message by message, if the plugin knows the file. May block for 2 s.

    Called: on every plugin in order until one knows the file: when a person replays or imports a transcript.
    With:
        path      an absolute path of a file that exists, in any format, of any size.
    Returns: a `TranscriptReading`: the session, and a stream of its messages with their ids and times; or None where
        this plugin does not know the format, without having read more than the beginning. A line that cannot be read is
        left out, so that the rest can be.
    May block: 2 s until it returns, and 2 s for each message of the stream.
    If it raises: the next plugin is asked. If the stream raises, it ends there, the host is told that it is not whole,
        and the plugin is `Down` with that reason.
    """


@hookspec
def health() -> Health:
    """The host knows whether the plugin does its work, and what a person should do if not. May block for 2 s.

    Called: on every plugin, at any time between `start` and `stop`: by a dashboard every few seconds, after a session.
    With: nothing.
    Returns: `Healthy()`, `Degraded(reasons=...)` or `Down(reason=...)`, with one `LayerHealth` for each part worth
        showing. It is found out now, by looking. A plugin of another role without this hook counts as healthy.
    May block: 2 s. It looks, and neither mends nor writes anything.
    If it raises: the plugin is `Down` with the exception as its reason.
    """
