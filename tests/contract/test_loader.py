"""The loader: every plugin that is installed, called so that none of them can bring the host down."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType

import pluggy
import pytest
from contract.installed import distribution, environment, install, python
from pydantic import BaseModel

from pulse_hookspecs import (
    NO_MEMORY,
    ArchiveReceipt,
    CheckpointReceipt,
    Degraded,
    Down,
    Healthy,
    LayerHealth,
    Message,
    PluginConflict,
    PluginMeta,
    Plugins,
    Role,
    SessionMeta,
    SetupPrompt,
    TextBlock,
    TranscriptReading,
    hookimpl,
)

SESSION = SessionMeta(session_id="s-1")
MESSAGES = (Message(id="m-1", role="user", blocks=(TextBlock(text="hello"),)),)
NOBODY = Down(reason="no plugin fills the Memory role")

_numbers = count()


class Tool:
    """A plugin of another role, with nothing but a name."""

    @hookimpl
    def plugin_meta(self):
        return PluginMeta(name="tool", version="1", role=Role.TOOL)


class Memory:
    """The least that fills the Memory role. `calls` lists the hooks that were called, and with what."""

    def __init__(self):
        self.calls = []

    @hookimpl
    def plugin_meta(self):
        return PluginMeta(name="memory", version="1", role=Role.MEMORY)

    @hookimpl
    def start(self, context):
        self.calls.append(("start", context))

    @hookimpl
    def stop(self):
        self.calls.append(("stop",))

    @hookimpl
    def create_checkpoint(self, session, messages, trigger):
        self.calls.append(("create_checkpoint", session, messages, trigger))
        return CheckpointReceipt(session_id=session.session_id, saved=True, trigger=trigger)

    @hookimpl
    def archive_session(self, session, messages):
        self.calls.append(("archive_session", session, messages))
        return ArchiveReceipt(session_id=session.session_id, archived=True)

    @hookimpl
    def health(self):
        return Healthy(layers=(LayerHealth(name="store", health=Healthy()),))


def load(disabled=(), **plugins):
    return Plugins.load(group=None, extra=plugins, disabled=disabled)


def running(root, **plugins):
    loaded = load(**plugins)
    loaded.start(pulse_root=root, pulse_name="ada")
    return loaded


def overriding(hook, function, base=Memory):
    """A class like `base` whose `hook` is `function`."""
    return type("Overridden", (base,), {hook: hookimpl(function)})


def raising(error):
    def hook(self):
        raise error

    return hook


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A function that really installs plugins: `installed({"name": "module:attribute"}, source)` for one module."""

    def into_this_process(entry_points, source, dist="fake_plugins"):
        number = next(_numbers)
        module = f"installed_plugin_{number}"
        named = {name: value.replace("module", module, 1) for name, value in entry_points.items()}
        site = install(tmp_path / f"site{number}", named, {module: source}, dist)
        monkeypatch.syspath_prepend(site)
        return module

    return into_this_process


# --- finding ----------------------------------------------------------------------------------------------------------

A_TOOL = """
    from pulse_hookspecs import PluginMeta, Role, hookimpl

    class Tool:
        @hookimpl
        def plugin_meta(self):
            return PluginMeta(name="a tool", version="1.2", role=Role.TOOL)

    instance = Tool()

    @hookimpl
    def plugin_meta():
        return PluginMeta(name="a module", version="3", role=Role.CHANNEL)
"""


def test_an_entry_point_may_name_a_class_an_instance_or_a_module(installed):
    installed({"c": "module:Tool", "b": "module:instance", "a": "module"}, A_TOOL)

    plugins = Plugins.load()

    assert plugins.names == ("a", "b", "c")
    assert [meta.name for meta in plugins.metas.values()] == ["a module", "a tool", "a tool"]
    assert isinstance(plugins.manager, pluggy.PluginManager)
    assert isinstance(plugins.manager.get_plugin("a"), ModuleType)


def test_further_plugins_can_be_handed_over(installed):
    installed({"b": "module:Tool"}, A_TOOL)

    assert Plugins.load(extra={"a": Tool, "c": Tool()}).names == ("a", "b", "c")


def test_a_disabled_plugin_is_not_even_imported(installed):
    module = installed({"bad": "module"}, "raise RuntimeError('imported')")

    plugins = Plugins.load(disabled=("bad", "not-installed"))

    assert plugins.names == ()
    assert plugins.disabled == ("bad",)
    assert module not in sys.modules


def test_the_same_plugin_found_twice_is_one(installed):
    module = installed({"a": "module:Tool"}, A_TOOL)
    site = Path(sys.path[0])
    distribution(site, "a_copy", {"a": f"{module}:Tool"})

    assert Plugins.load().names == ("a",)


def test_two_plugins_of_one_name_are_a_conflict_that_names_their_distributions(installed):
    installed({"a": "module:Tool"}, A_TOOL, dist="first_dist")
    installed({"a": "module:instance"}, A_TOOL, dist="second_dist")

    with pytest.raises(PluginConflict, match=r"(?s)first_dist.*second_dist|second_dist.*first_dist") as caught:
        Plugins.load()

    assert caught.value.names == ("a",)


def test_two_memories_are_a_conflict_that_names_both_and_says_how_to_choose():
    with pytest.raises(PluginConflict, match=r'new, old; .*disabled = \["old"\]') as caught:
        load(old=Memory, new=Memory, tool=Tool)

    assert caught.value.names == ("new", "old")
    assert load(old=Memory, new=Memory, disabled=("new",)).memory == "old"


def test_without_a_memory_its_health_is_down_and_its_hooks_answer_down(tmp_path):
    plugins = running(tmp_path, tool=Tool)

    assert plugins.memory is None
    assert plugins.health() == {"tool": Healthy(), NO_MEMORY: NOBODY}
    assert plugins.session_context(SESSION) == NOBODY
    assert plugins.create_checkpoint(SESSION, MESSAGES, "auto") == NOBODY
    assert plugins.archive_session(SESSION, MESSAGES) == NOBODY


# --- plugins that are broken ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "attribute", "reason"),
    [
        ("raise RuntimeError('no licence')", "", "RuntimeError: no licence"),
        ("import a_module_that_is_missing", "", "ModuleNotFoundError: No module named 'a_module_that_is_missing'"),
        ("def f(:", "", "SyntaxError"),
        ("import sys; sys.exit('bye')", "", "SystemExit: bye"),
        ("x = 1", ":absent", "AttributeError"),
        ("class Plugin:\n    def __init__(self, needed): ...", ":Plugin", "TypeError"),
    ],
)
def test_a_plugin_that_cannot_be_imported_or_made_is_down_and_the_others_are_loaded(
    installed, source, attribute, reason
):
    module = installed({"bad": f"module{attribute}"}, source)

    plugins = Plugins.load(extra={"memory": Memory})

    assert plugins.names == ("bad", "memory")
    assert plugins.memory == "memory"
    assert reason in plugins.health()["bad"].reason
    assert f"{module}{attribute}" in plugins.health()["bad"].reason


class Misspelt(Tool):
    @hookimpl
    def archive_sesion(self, session, messages): ...


class Demanding(Tool):
    @hookimpl
    def start(self, context, colour): ...


class Unmarked:
    def plugin_meta(self): ...


@dataclass
class Unhashable:
    name: str = "x"


class WithoutHealth(Memory):
    health = None


@pytest.mark.parametrize(
    ("plugin", "reason"),
    [
        (Misspelt, "unknown hook 'archive_sesion'"),
        (Demanding, "colour"),
        (Unmarked, "it has no plugin_meta; is the function marked with @hookimpl?"),
        (Unhashable, "unhashable"),
        (WithoutHealth, "it fills the Memory role but has no health"),
        (overriding("plugin_meta", raising(KeyError("x")), Tool), "plugin_meta raised KeyError: 'x'"),
        (
            overriding("plugin_meta", lambda self: {"name": "x"}, Tool),
            "plugin_meta returned dict instead of PluginMeta",
        ),
        (overriding("plugin_meta", lambda self: None, Tool), "plugin_meta returned nothing instead of PluginMeta"),
    ],
)
def test_a_plugin_that_breaks_the_contract_is_down_and_none_of_its_hooks_is_called(tmp_path, plugin, reason):
    plugins = running(tmp_path, bad=plugin, memory=Memory)

    assert reason in plugins.health()["bad"].reason
    assert "bad" not in plugins.metas
    assert plugins.manager.get_plugin("bad") is None
    assert plugins.health()["memory"].state == "healthy"
    assert not plugins.is_running("bad")


def test_one_object_under_two_names_is_broken_under_the_second():
    tool = Tool()

    plugins = load(a=tool, b=tool)

    assert set(plugins.metas) == {"a"}
    assert "already registered" in plugins.health()["b"].reason


# --- each hook --------------------------------------------------------------------------------------------------------


def test_plugin_meta_is_asked_once_before_anything_else():
    asked = []

    class Counting(Tool):
        @hookimpl
        def plugin_meta(self):
            asked.append(True)
            return PluginMeta(name="n", version="2", role=Role.TOOL, description="d")

    plugins = load(a=Counting)
    plugins.health()

    assert plugins.metas == {"a": PluginMeta(name="n", version="2", role=Role.TOOL, description="d")}
    assert len(asked) == 1


def test_setup_prompts_are_collected_before_any_start():
    prompt = SetupPrompt(key="colour", question="Which colour?")
    plugins = load(a=Tool, b=overriding("setup_prompts", lambda self: (prompt,)), c=overriding_none())

    assert plugins.setup_prompts() == {"b": (prompt,), "c": ()}


def overriding_none():
    return overriding("setup_prompts", lambda self: None, Tool)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("colour", "returned str instead of a tuple of SetupPrompt"),
        (({"key": "colour"},), "returned dict instead of SetupPrompt"),
        ((SetupPrompt(key="k", question="?"), SetupPrompt(key="k", question="!")), "returned the key 'k' twice"),
    ],
)
def test_setup_prompts_that_are_none_leave_the_plugin_down(tmp_path, answer, reason):
    plugins = load(memory=overriding("setup_prompts", lambda self: answer))

    assert plugins.setup_prompts() == {}

    plugins.start(pulse_root=tmp_path, pulse_name="ada")
    assert reason in plugins.health()["memory"].reason


def test_start_gives_each_plugin_its_own_section(tmp_path):
    memory, llm = Memory(), object
    llm = type("Echo", (), {"complete": lambda self, system, prompt, max_tokens: prompt})()
    plugins = load(memory=memory, tool=Tool)

    plugins.start(pulse_root=tmp_path, pulse_name="ada", config={"memory": {"a": 1}, "tool": {"b": 2}}, llm=llm)

    context = memory.calls[0][1]
    assert (context.pulse_root, context.pulse_name, context.config, context.llm) == (tmp_path, "ada", {"a": 1}, llm)


def recording(name, events, fails=()):
    """A tool that writes its starts and stops into `events`, and raises where `fails` says so."""

    class Recording(Tool):
        @hookimpl
        def start(self):
            events.append(f"start {name}")
            if "start" in fails:
                raise OSError(f"{name} cannot start")

        @hookimpl
        def stop(self):
            events.append(f"stop {name}")
            if "stop" in fails:
                raise OSError(f"{name} cannot stop")

        @hookimpl
        def health(self):
            events.append(f"health {name}")
            return Healthy()

    return Recording


def test_start_goes_in_order_of_names_and_stop_in_reverse(tmp_path):
    events = []
    plugins = load(c=recording("c", events), a=recording("a", events), b=recording("b", events))

    with plugins.running(pulse_root=tmp_path, pulse_name="ada"):
        assert plugins.is_running("a")

    assert events == ["start a", "start b", "start c", "stop c", "stop b", "stop a"]
    assert not plugins.is_running("a")


def test_start_that_raises_leaves_its_plugin_down_and_lets_the_others_go_on(tmp_path):
    events = []
    plugins = load(a=recording("a", events, fails=["start"]), b=recording("b", events))

    with plugins.running(pulse_root=tmp_path, pulse_name="ada"):
        healths = plugins.health()

    assert healths["a"] == Down(reason="start raised OSError: a cannot start")
    assert healths["b"] == Healthy()
    assert events == ["start a", "start b", "health b", "stop b"]


def test_start_that_raised_can_be_tried_again(tmp_path):
    tries = []

    def start(self):
        tries.append(True)
        if len(tries) == 1:
            raise OSError("locked")

    plugins = running(tmp_path, memory=overriding("start", start))
    assert plugins.archive_session(SESSION, MESSAGES) == Down(reason="memory: start raised OSError: locked")

    plugins.start(pulse_root=tmp_path, pulse_name="ada")
    plugins.start(pulse_root=tmp_path, pulse_name="ada")

    assert plugins.health()["memory"].state == "healthy"
    assert len(tries) == 2


def test_start_refuses_a_root_that_is_not_absolute(tmp_path):
    with pytest.raises(ValueError, match="absolute"):
        load().start(pulse_root=Path("here"), pulse_name="ada")


def test_start_that_the_person_interrupts_stops_what_ran(tmp_path):
    events = []
    plugins = load(a=recording("a", events), b=overriding("start", raising(KeyboardInterrupt()), Tool))

    with pytest.raises(KeyboardInterrupt), plugins.running(pulse_root=tmp_path, pulse_name="ada"):
        pytest.fail("the block must not run")

    assert events == ["start a", "stop a"]


def test_stop_is_tried_on_every_plugin_and_keeps_what_went_wrong(tmp_path):
    events = []
    plugins = running(tmp_path, a=recording("a", events), b=recording("b", events, fails=["stop"]))

    plugins.stop()
    plugins.stop()

    assert events == ["start a", "start b", "stop b", "stop a"]
    assert plugins.health()["b"] == Down(reason="stop raised OSError: b cannot stop")
    assert plugins.health()["a"] == Down(reason="not started")


def test_stop_that_the_person_interrupts_still_stops_the_others(tmp_path):
    events = []
    plugins = running(tmp_path, a=recording("a", events), b=overriding("stop", raising(KeyboardInterrupt()), Tool))

    with pytest.raises(KeyboardInterrupt):
        plugins.stop()

    assert events == ["start a", "stop a"]


def test_stop_follows_when_the_host_itself_fails(tmp_path):
    memory = Memory()

    with pytest.raises(ZeroDivisionError), load(m=memory).running(pulse_root=tmp_path, pulse_name="ada"):
        _ = 1 / 0

    assert [call[0] for call in memory.calls] == ["start", "stop"]


def test_session_context_is_the_memorys_and_may_be_nothing(tmp_path):
    told = running(tmp_path, m=overriding("session_context", lambda self, session: f"for {session.session_id}"))

    assert told.session_context(SESSION) == "for s-1"
    assert running(tmp_path, m=Memory).session_context(SESSION) is None


def test_create_checkpoint_hands_over_session_messages_and_trigger(tmp_path):
    memory = Memory()

    receipt = running(tmp_path, m=memory).create_checkpoint(SESSION, MESSAGES, "manual")

    assert receipt == CheckpointReceipt(session_id="s-1", saved=True, trigger="manual")
    assert memory.calls[-1] == ("create_checkpoint", SESSION, MESSAGES, "manual")


def test_archive_session_is_called_on_the_memory_alone(tmp_path):
    memory = Memory()
    other = overriding("archive_session", raising(AssertionError("not the memory")), Tool)

    receipt = running(tmp_path, a=other, m=memory).archive_session(SESSION, MESSAGES)

    assert receipt == ArchiveReceipt(session_id="s-1", archived=True)
    assert memory.calls[-1] == ("archive_session", SESSION, MESSAGES)


def reader(answer, base=Tool):
    def read_transcript(self, path):
        assert path.is_absolute()
        if isinstance(answer, BaseException):
            raise answer
        return answer(path) if callable(answer) else answer

    return overriding("read_transcript", read_transcript, base)


def test_read_transcript_is_answered_by_the_first_plugin_that_knows_the_file(tmp_path):
    known = reader(lambda path: TranscriptReading(SESSION, iter(MESSAGES)))
    plugins = running(tmp_path, a=Tool, b=reader(None), c=known, d=reader(AssertionError("asked too many")))

    transcript = plugins.read_transcript(Path("relative.jsonl"))

    assert (transcript.plugin, transcript.session) == ("c", SESSION)
    assert tuple(transcript) == MESSAGES
    assert transcript.failure is None


def test_read_transcript_is_none_where_nobody_knows_the_file(tmp_path):
    assert running(tmp_path, a=Tool, b=reader(None)).read_transcript(tmp_path / "x") is None


def test_read_transcript_goes_on_to_the_next_plugin_after_one_that_raises(tmp_path):
    good = reader(lambda path: TranscriptReading(SESSION, iter(MESSAGES)))
    plugins = running(tmp_path, a=reader(OSError("torn")), b=good)

    assert plugins.read_transcript(tmp_path / "x").plugin == "b"
    assert plugins.health()["a"].reason == "read_transcript raised OSError: torn"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (OSError("torn"), "read_transcript raised OSError: torn"),
        (iter(MESSAGES), "read_transcript returned tuple_iterator instead of TranscriptReading"),
        (TranscriptReading("s-1", iter(())), "read_transcript returned str instead of SessionMeta"),
        (TranscriptReading(SESSION, None), "read_transcript raised TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_read_transcript_is_down_where_the_only_reader_fails(tmp_path, answer, reason):
    plugins = running(tmp_path, a=reader(None), b=reader(answer))

    assert plugins.read_transcript(tmp_path / "x") == Down(reason=reason)


def torn_stream():
    yield MESSAGES[0]
    raise ValueError("line 2 is torn")


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (torn_stream, "read_transcript raised ValueError: line 2 is torn"),
        (lambda: iter([MESSAGES[0], "hello"]), "read_transcript returned str instead of Message"),
    ],
)
def test_read_transcript_ends_early_and_says_so_where_its_stream_fails(tmp_path, stream, reason):
    plugins = running(tmp_path, a=reader(lambda path: TranscriptReading(SESSION, stream())))

    transcript = plugins.read_transcript(tmp_path / "x")

    assert tuple(transcript) == MESSAGES
    assert transcript.failure == Down(reason=reason)
    assert plugins.health()["a"].reason == reason


def test_read_transcript_lets_the_stream_go_when_the_host_stops_early(tmp_path):
    closed = []

    def stream():
        try:
            while True:
                yield MESSAGES[0]
        finally:
            closed.append(True)

    plugins = running(tmp_path, a=reader(lambda path: TranscriptReading(SESSION, stream())))
    transcript = plugins.read_transcript(tmp_path / "x")
    messages = iter(transcript)
    next(messages)
    messages.close()

    assert closed == [True]


def test_health_is_asked_of_every_plugin_and_keeps_its_layers(tmp_path):
    degraded = Degraded(reasons=("index is old",), layers=(LayerHealth(name="graph", health=Down(reason="locked")),))
    plugins = running(tmp_path, a=Tool, b=overriding("health", lambda self: degraded))

    assert plugins.health() == {"a": Healthy(), "b": degraded}


def test_health_of_a_plugin_that_was_not_started_is_down():
    assert load(m=Memory).health() == {"m": Down(reason="not started")}


# --- what a plugin may do to the host ---------------------------------------------------------------------------------

CALLS = {
    "session_context": lambda plugins: plugins.session_context(SESSION),
    "create_checkpoint": lambda plugins: plugins.create_checkpoint(SESSION, MESSAGES, "auto"),
    "archive_session": lambda plugins: plugins.archive_session(SESSION, MESSAGES),
    "read_transcript": lambda plugins: plugins.read_transcript(Path("x")),
    "health": lambda plugins: plugins.health()["memory"],
}


@pytest.mark.parametrize(
    "error", [OSError("disk full"), RecursionError("deep"), SystemExit("bye"), StopIteration("end")]
)
@pytest.mark.parametrize("hook", CALLS)
def test_an_exception_of_a_plugin_is_down_with_its_reason_until_the_hook_succeeds(tmp_path, hook, error):
    failing = overriding(hook, raising(error))
    plugins = running(tmp_path, memory=failing)
    reason = f"{hook} raised {type(error).__name__}: {error}"

    assert CALLS[hook](plugins) == Down(reason=reason)
    assert plugins.health()["memory"].reason == reason

    plugin = plugins.manager.get_plugin("memory")
    plugins.manager.unregister(plugin)
    setattr(type(plugin), hook, hookimpl(good_answer(hook)))
    plugins.manager.register(plugin, "memory")

    assert CALLS[hook](plugins) != Down(reason=reason)
    assert plugins.health()["memory"].state == "healthy"


def good_answer(hook):
    answers = {
        "session_context": "text",
        "create_checkpoint": CheckpointReceipt(session_id="s-1", saved=True, trigger="auto"),
        "archive_session": ArchiveReceipt(session_id="s-1", archived=True),
        "read_transcript": None,
        "health": Healthy(),
    }
    return lambda self: answers[hook]


@pytest.mark.parametrize("hook", CALLS)
def test_an_answer_of_the_wrong_type_is_down_with_its_reason(tmp_path, hook):
    plugins = running(tmp_path, memory=overriding(hook, lambda self: 42))

    answer = CALLS[hook](plugins)

    assert answer.reason.startswith(f"{hook} returned int instead of ")
    assert plugins.health()["memory"].reason == answer.reason


@pytest.mark.parametrize("hook", [*CALLS, "start"])
def test_a_coroutine_is_refused_without_a_trace_of_it_left(tmp_path, hook):
    async def answer(self): ...

    plugins = running(tmp_path, memory=overriding(hook, answer))

    CALLS.get(hook, CALLS["health"])(plugins)

    assert "a coroutine; hooks are plain functions" in plugins.health()["memory"].reason


@pytest.mark.parametrize("hook", CALLS)
def test_the_persons_interrupt_passes_through_every_hook(tmp_path, hook):
    plugins = running(tmp_path, memory=overriding(hook, raising(KeyboardInterrupt())))

    with pytest.raises(KeyboardInterrupt):
        CALLS[hook](plugins)


def test_a_failed_archive_keeps_the_layers_in_sight(tmp_path):
    plugins = running(tmp_path, memory=overriding("archive_session", raising(OSError("disk full"))))

    plugins.archive_session(SESSION, MESSAGES)

    health = plugins.health()["memory"]
    assert health == Down(reason="archive_session raised OSError: disk full", layers=Memory().health().layers)


class Rude(Exception):
    def __str__(self):
        raise RuntimeError("no text for you")


class Config(BaseModel):
    port: int


def refuse_the_config(self):
    Config(port="hunter2")


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        (raising(OSError("two\nlines \x1b[31mred\x07 \udcff")), "session_context raised OSError: two lines [31mred"),
        (raising(Rude()), "session_context raised Rude"),
        (raising(ValueError()), "session_context raised ValueError"),
        (
            refuse_the_config,
            "session_context raised ValidationError: Config: port: Input should be a valid integer, "
            "unable to parse string as an integer",
        ),
    ],
)
def test_a_reason_is_one_printable_line_without_the_values_that_were_refused(tmp_path, hook, reason):
    assert running(tmp_path, m=overriding("session_context", hook)).session_context(SESSION) == Down(reason=reason)


def test_a_reason_has_a_bounded_length(tmp_path):
    plugins = running(tmp_path, m=overriding("session_context", raising(ValueError("x" * 10_000_000))))

    assert len(plugins.session_context(SESSION).reason) < 600


def test_two_hooks_of_a_plugin_never_run_at_the_same_time(tmp_path):
    inside, most = [], []

    def health(self):
        inside.append(True)
        most.append(len(inside))
        threading.Event().wait(0.02)
        inside.pop()
        return Healthy()

    plugins = running(tmp_path, m=overriding("health", health))
    threads = [threading.Thread(target=plugins.health) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] * 5


# --- from outside -----------------------------------------------------------------------------------------------------

A_MEMORY = """
    from pulse_hookspecs import *

    class Plugin:
        @hookimpl
        def plugin_meta(self):
            return PluginMeta(name="installed", version="1", role=Role.MEMORY)

        @hookimpl
        def create_checkpoint(self, session, messages, trigger):
            raise OSError("disk full")

        @hookimpl
        def archive_session(self, session, messages):
            return ArchiveReceipt(session_id=session.session_id, archived=True, new_messages=len(messages))

        @hookimpl
        def health(self):
            return Healthy()
"""

AN_ASYNC_HOST = """
import asyncio, json, sys
from pathlib import Path
from pulse_hookspecs import Message, Plugins, SessionMeta

async def main():
    plugins = await asyncio.to_thread(Plugins.load)
    await asyncio.to_thread(plugins.start, pulse_root=Path(sys.argv[1]), pulse_name="ada")
    session, messages = SessionMeta(session_id="s"), (Message(role="user"),)
    archived, saved = await asyncio.gather(
        asyncio.to_thread(plugins.archive_session, session, messages),
        asyncio.to_thread(plugins.create_checkpoint, session, messages, "auto"),
    )
    health = await asyncio.to_thread(plugins.health)
    await asyncio.to_thread(plugins.stop)
    values = {"archived": archived, "saved": saved, **health}
    print(json.dumps({key: value.model_dump(mode="json") for key, value in values.items()}))

asyncio.run(main())
"""


def test_an_async_host_in_a_fresh_interpreter_finds_and_calls_an_installed_plugin(tmp_path):
    site = install(tmp_path / "site", {"fake": "fake_memory:Plugin"}, {"fake_memory": A_MEMORY})

    done = subprocess.run(
        [python(), "-c", AN_ASYNC_HOST, str(tmp_path)],
        env=environment(site),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stderr == ""
    said = json.loads(done.stdout)
    assert said["archived"]["new_messages"] == 1
    assert said["saved"] == {"state": "down", "reason": "create_checkpoint raised OSError: disk full", "layers": []}
    assert said["fake"]["state"] == "down"


def test_the_contract_imports_nothing_but_pluggy_and_pydantic(tmp_path):
    site = install(tmp_path / "site", {}, {})
    program = (
        "import sys; before = set(sys.modules); import pulse_hookspecs; "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )

    done = subprocess.run(
        [python(), "-c", program], env=environment(site), capture_output=True, text=True, timeout=60, check=True
    )

    allowed = {"pluggy", "pulse_hookspecs", "pydantic", "pydantic_core", "annotated_types", "typing_extensions"}
    assert {name for name in done.stdout.split() if not name.startswith("_")} - allowed <= {"typing_inspection"}
