"""For hosts: the plugins that are installed, called so that none of them can bring the host down.

    plugins = Plugins.load(disabled=("old-memory",))
    with plugins.running(pulse_root=root, pulse_name="ada", config={"notebook": {"characters": 200}}):
        context = plugins.session_context(session)
        receipt = plugins.archive_session(session, messages)
        match receipt:
            case Down(reason=reason): ...   # the plugin raised, returned nonsense, or is not there
            case ArchiveReceipt(): ...      # what the plugin says, good or bad
        for name, health in plugins.health().items(): ...

Every method blocks as long as the hooks it calls. An async host writes
`await asyncio.to_thread(plugins.archive_session, session, messages)`; any thread may call any method.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Final, TypeVar

import pluggy
from pydantic import ValidationError

from pulse_hookspecs import spec
from pulse_hookspecs.markers import GROUP, PROJECT
from pulse_hookspecs.types import (
    ArchiveReceipt,
    CheckpointReceipt,
    Degraded,
    Down,
    Health,
    Healthy,
    LLMProvider,
    Message,
    PluginMeta,
    Role,
    SessionMeta,
    SetupPrompt,
    StartContext,
    TranscriptReading,
    worst,
)

MEMORY_HOOKS: Final = ("archive_session", "create_checkpoint", "health")
"""The hooks that a plugin must implement to fill the Memory role."""

NO_MEMORY: Final = "(memory)"
"""The name under which `Plugins.health` reports that no plugin fills the Memory role."""

_NOBODY: Final = "no plugin fills the Memory role"
_LONGEST_REASON = 500  # characters

# What a plugin may do to us and the host survives. `sys.exit` inside a plugin is a mistake; Ctrl-C is the person's.
_FAILURES = (Exception, SystemExit)

T = TypeVar("T")


class PluginConflict(Exception):
    """Two plugins claim what only one can have: the Memory role, or a name.

    names: the plugins, by their entry points' names.
    """

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.names = names


class Transcript:
    """A session in a file, read by the plugin that knows it. Iterate over it once for the messages; that never raises.

    plugin: who reads it.
    session: whose messages these are.
    failure: after the iteration, why it ended early; None when it came to the end of the file.
    """

    def __init__(self, plugin: _Plugin, reading: TranscriptReading) -> None:
        self.plugin = plugin.name
        self.session = reading.session
        self.failure: Down | None = None
        self._plugin = plugin
        self._stream = iter(reading.messages)

    def __iter__(self) -> Iterator[Message]:
        try:
            while (message := self._next()) is not None:
                yield message
        finally:
            with suppress(*_FAILURES), self._plugin.lock:
                getattr(self._stream, "close", lambda: None)()

    def _next(self) -> Message | None:
        """The next message; None at the end, be it early or not."""
        try:
            with self._plugin.lock:
                message = next(self._stream)
            return _instance_of(Message)(message)
        except StopIteration:
            return None
        except _FAILURES as error:
            self.failure = self._plugin.failed("read_transcript", error)
            return None


class Plugins:
    """The plugins of one host, in the order of their names. Made by `load`; nothing is started yet.

    manager: the pluggy manager that holds every plugin that is not broken. It calls hooks in its own order and lets
        exceptions through; the methods here do neither.
    names: every plugin, broken ones included. A plugin's name is that of its entry point.
    metas: who each plugin is, by name; broken plugins are missing.
    memory: the name of the plugin that fills the Memory role, or None.
    disabled: the plugins that are installed and were left out.
    """

    def __init__(self, manager: pluggy.PluginManager, plugins: Collection[_Plugin], disabled: tuple[str, ...]) -> None:
        self.manager = manager
        self.disabled = disabled
        self._plugins = tuple(plugins)

    @classmethod
    def load(
        cls,
        group: str | None = GROUP,
        extra: Mapping[str, object] = MappingProxyType({}),
        disabled: Collection[str] = (),
    ) -> Plugins:
        """The plugins that are installed, imported and asked who they are. One that fails at that is broken, and Down.

        group: the entry-point group to look in; None looks in none.
        extra: further plugins by name: classes (instantiated without arguments), instances or modules.
        disabled: names of plugins to leave out; they are not even imported.

        Raises PluginConflict when two plugins fill the Memory role or bear the same name.
        """
        sources = _sources(group, extra)
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(spec)
        plugins = [_Plugin.load(manager, name, sources[name]) for name in sorted(sources) if name not in disabled]
        memories = [plugin.name for plugin in plugins if plugin.role is Role.MEMORY]
        if len(memories) > 1:
            others = ", ".join(f'"{name}"' for name in memories[1:])
            raise PluginConflict(
                f"{len(memories)} plugins fill the Memory role, and exactly one may: {', '.join(memories)}; "
                f"disable all but one, for example: disabled = [{others}]",
                tuple(memories),
            )
        return cls(manager, plugins, tuple(name for name in sorted(sources) if name in disabled))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(plugin.name for plugin in self._plugins)

    @property
    def metas(self) -> dict[str, PluginMeta]:
        return {plugin.name: plugin.meta for plugin in self._plugins if plugin.meta is not None}

    @property
    def memory(self) -> str | None:
        plugin = self._memory()
        return plugin.name if plugin is not None else None

    def is_running(self, name: str) -> bool:
        """Whether the plugin was started, and not stopped since."""
        return any(plugin.running for plugin in self._plugins if plugin.name == name)

    def setup_prompts(self) -> dict[str, tuple[SetupPrompt, ...]]:
        """What each plugin wants to know before it is started, by its name; nothing for a plugin that fails to say."""
        prompts: dict[str, tuple[SetupPrompt, ...]] = {}
        for plugin in self._plugins:
            if plugin.implements("setup_prompts"):
                answer = plugin.ask("setup_prompts", _check_prompts)
                if not isinstance(answer, Down):
                    prompts[plugin.name] = answer
        return prompts

    def start(
        self,
        *,
        pulse_root: Path,
        pulse_name: str,
        config: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
        llm: LLMProvider | None = None,
    ) -> None:
        """Every plugin that is not broken was started, in order; one that raised is Down, and the others go on.

        pulse_root: an absolute path of a folder that exists. config: each plugin's section, by the plugin's name.
        What runs already is left alone. Raises ValueError for a root that is not absolute or a name that is empty.
        """
        StartContext(pulse_root=pulse_root, pulse_name=pulse_name, llm=llm)
        for plugin in self._plugins:
            if plugin.usable and not plugin.running:
                section = config.get(plugin.name, {})
                plugin.start(StartContext(pulse_root=pulse_root, pulse_name=pulse_name, config=section, llm=llm))

    def stop(self) -> None:
        """Every plugin that ran was asked to stop, in reverse order, whatever the others did."""
        with ExitStack() as stack:  # goes through all of them, even when Ctrl-C interrupts one
            for plugin in self._plugins:
                stack.callback(plugin.stop)

    @contextmanager
    def running(
        self,
        *,
        pulse_root: Path,
        pulse_name: str,
        config: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
        llm: LLMProvider | None = None,
    ) -> Iterator[None]:
        """Between `start` and `stop`, however the block ends."""
        try:
            self.start(pulse_root=pulse_root, pulse_name=pulse_name, config=config, llm=llm)
            yield
        finally:
            self.stop()

    def session_context(self, session: SessionMeta) -> str | Down | None:
        """What the memory wants to put in front of `session`; None for nothing; Down when it could not say."""
        return self._ask_memory("session_context", _check_text, session=session)

    def create_checkpoint(
        self, session: SessionMeta, messages: tuple[Message, ...], trigger: str
    ) -> CheckpointReceipt | Down:
        """The memory's receipt for what was said so far, or Down when it gave none."""
        check = _instance_of(CheckpointReceipt)
        return self._ask_memory("create_checkpoint", check, session=session, messages=messages, trigger=trigger)

    def archive_session(self, session: SessionMeta, messages: tuple[Message, ...]) -> ArchiveReceipt | Down:
        """The memory's receipt for the session, or Down when it gave none."""
        return self._ask_memory("archive_session", _instance_of(ArchiveReceipt), session=session, messages=messages)

    def read_transcript(self, path: Path) -> Transcript | Down | None:
        """The session in the file, from the first plugin that knows it.

        None when no plugin knows the file; Down when none of them read it and at least one failed at it.
        """
        failure: Down | None = None
        for plugin in self._plugins:
            if plugin.running and plugin.implements("read_transcript"):
                answer = plugin.ask("read_transcript", plugin.check_reading, path=Path(path).absolute())
                if isinstance(answer, Transcript):
                    return answer
                failure = failure or answer
        return failure

    def health(self) -> dict[str, Health]:
        """How each plugin fares, by its name; beside them `NO_MEMORY`, Down, where no plugin fills the Memory role.

        A plugin that failed at a hook is Down with that reason, whatever it says itself, until it succeeds at the same
        hook; its layers are shown all the same.
        """
        healths = {plugin.name: plugin.health() for plugin in self._plugins}
        if self._memory() is None:
            healths[NO_MEMORY] = Down(reason=_NOBODY)
        return healths

    def _memory(self) -> _Plugin | None:
        return next((plugin for plugin in self._plugins if plugin.role is Role.MEMORY), None)

    def _ask_memory(self, hook: str, check: Callable[[object], T], **arguments: object) -> T | Down:
        memory = self._memory()
        if memory is None:
            return Down(reason=_NOBODY)
        if not memory.running:
            return Down(reason=f"{memory.name}: {memory.why_not_running}")
        return memory.ask(hook, check, **arguments)


@dataclass(slots=True, eq=False)
class _Plugin:
    """One plugin and what is known of it.

    plugin: the object that has the hooks; None when it is broken.
    broken: why it cannot be used at all; empty when it can.
    failures: the latest failure of each hook that did not succeed since.
    lock: held while one of its hooks runs, so that it need not expect two at once.
    """

    name: str
    manager: pluggy.PluginManager
    plugin: object = None
    meta: PluginMeta | None = None
    broken: str = ""
    running: bool = False
    failures: dict[str, str] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)

    @classmethod
    def load(cls, manager: pluggy.PluginManager, name: str, source: object) -> _Plugin:
        """The plugin that `source` stands for, registered with `manager`; broken, and not registered, if it fails."""
        plugin = cls(name, manager)
        try:
            plugin.register(source)
        except _FAILURES as error:
            where = f"cannot be loaded from {source.value}: " if isinstance(source, EntryPoint) else ""
            plugin.break_off(where + _describe(error))
        else:
            plugin.introduce()
        return plugin

    @property
    def usable(self) -> bool:
        return not self.broken

    @property
    def role(self) -> Role | None:
        return self.meta.role if self.meta is not None else None

    @property
    def why_not_running(self) -> str:
        return self.broken or "; ".join(self.failures.values()) or "not started"

    def register(self, source: object) -> None:
        """pluggy holds the plugin, and has checked every hook's name and arguments."""
        loaded = source.load() if isinstance(source, EntryPoint) else source
        plugin = loaded() if inspect.isclass(loaded) else loaded
        hash(plugin)  # pluggy keeps plugins in sets
        self.plugin = plugin
        self.manager.register(plugin, self.name)
        self.manager.check_pending()

    def introduce(self) -> None:
        """The plugin has said who it is, and has what its role needs."""
        if not self.implements("plugin_meta"):
            self.break_off("it has no plugin_meta; is the function marked with @hookimpl?")
            return
        meta = self.ask("plugin_meta", _instance_of(PluginMeta))
        if isinstance(meta, Down):
            self.break_off(meta.reason)
            return
        lacking = [hook for hook in MEMORY_HOOKS if meta.role is Role.MEMORY and not self.implements(hook)]
        if lacking:
            self.break_off(f"it fills the Memory role but has no {', no '.join(lacking)}")
            return
        self.meta = meta

    def break_off(self, reason: str) -> None:
        """The plugin is broken for good, and pluggy does not hold it."""
        self.broken = reason
        if self.manager.has_plugin(self.name):
            self.manager.unregister(name=self.name)
        self.plugin = None

    def implements(self, hook: str) -> bool:
        caller: pluggy.HookCaller = getattr(self.manager.hook, hook)
        return self.usable and any(
            implementation.plugin is self.plugin and not (implementation.wrapper or implementation.hookwrapper)
            for implementation in caller.get_hookimpls()
        )

    def ask(self, hook: str, check: Callable[[object], T], **arguments: object) -> T | Down:
        """What `check` makes of this plugin's answer, or Down when it raised or its answer did not pass."""
        others = [plugin for plugin in self.manager.get_plugins() if plugin is not self.plugin]
        try:
            with self.lock:
                answer = self.manager.subset_hook_caller(hook, others)(**arguments)
            if isinstance(answer, list):  # from a hook without `firstresult`: no list is an answer to the others
                answer = answer[0] if answer else None
            checked = check(answer)
        except _FAILURES as error:
            return self.failed(hook, error)
        self.failures.pop(hook, None)
        return checked

    def failed(self, hook: str, error: BaseException) -> Down:
        """The failure is remembered until the hook succeeds."""
        done = "returned" if isinstance(error, _WrongAnswer) else "raised"
        self.failures[hook] = f"{hook} {done} {_describe(error)}"
        return Down(reason=self.failures[hook])

    def start(self, context: StartContext) -> None:
        answer = self.ask("start", _ignore, context=context)
        self.running = not isinstance(answer, Down)

    def stop(self) -> None:
        if self.running:
            self.running = False
            self.ask("stop", _ignore)

    def check_reading(self, answer: object) -> Transcript | None:
        if answer is None:
            return None
        reading = _instance_of(TranscriptReading)(answer)
        _instance_of(SessionMeta)(reading.session)
        return Transcript(self, reading)

    def health(self) -> Health:
        if not self.running:
            return Down(reason=self.why_not_running)
        if self.implements("health"):
            said: Health = self.ask("health", _check_health)
        else:
            said = Healthy()
        failures = [Down(reason=reason) for hook, reason in self.failures.items() if hook != "health"]
        return worst(*failures, said, layers=said.layers) if failures else said


class _WrongAnswer(Exception):
    """A hook returned what it must not."""


def _sources(group: str | None, extra: Mapping[str, object]) -> dict[str, object]:
    """What to load, by name."""
    sources: dict[str, object] = dict(extra)
    for entry_point in entry_points(group=group) if group is not None else ():
        known = sources.setdefault(entry_point.name, entry_point)
        if not isinstance(known, EntryPoint) or known.value != entry_point.value:
            raise PluginConflict(
                f"two plugins bear the name {entry_point.name!r}: {_whence(known)} and {_whence(entry_point)}; "
                "uninstall one of them",
                (entry_point.name,),
            )
    return sources


def _whence(source: object) -> str:
    if not isinstance(source, EntryPoint):
        return repr(source)
    return f"{source.value} of {source.dist.name}" if source.dist is not None else source.value


def _instance_of(expected: type[T]) -> Callable[[object], T]:
    """A check that lets instances of `expected` pass."""

    def check(answer: object) -> T:
        if isinstance(answer, expected):
            return answer
        raise _refusal(answer, expected.__name__)

    return check


def _refusal(answer: object, expected: str) -> _WrongAnswer:
    if inspect.iscoroutine(answer):
        answer.close()
        return _WrongAnswer(f"a coroutine; hooks are plain functions that return {expected}")
    return _WrongAnswer(f"{'nothing' if answer is None else type(answer).__name__} instead of {expected}")


def _ignore(answer: object) -> None:
    """Any answer passes but a coroutine, of which nothing ran."""
    if inspect.iscoroutine(answer):
        raise _refusal(answer, "nothing")


def _check_text(answer: object) -> str | None:
    if answer is None or isinstance(answer, str):
        return answer
    raise _refusal(answer, "str or None")


def _check_health(answer: object) -> Health:
    if isinstance(answer, Healthy | Degraded | Down):
        return answer
    raise _refusal(answer, "Healthy, Degraded or Down")


def _check_prompts(answer: object) -> tuple[SetupPrompt, ...]:
    if answer is None:
        return ()
    if not isinstance(answer, tuple | list):
        raise _refusal(answer, "a tuple of SetupPrompt")
    prompts = tuple(_instance_of(SetupPrompt)(prompt) for prompt in answer)
    keys = [prompt.key for prompt in prompts]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise _WrongAnswer(f"the key {twice[0]!r} twice")
    return prompts


def _describe(error: BaseException) -> str:
    """`error` in one printable line: its type and what it says, but no value that pydantic saw: it may be a secret."""
    if isinstance(error, _WrongAnswer):
        return _one_line(str(error))
    if isinstance(error, ValidationError):
        complaints = error.errors(include_url=False, include_context=False, include_input=False)
        places = ((".".join(str(part) for part in complaint["loc"]), complaint["msg"]) for complaint in complaints)
        said = "; ".join(f"{place}: {message}" if place else message for place, message in places)
        return _one_line(f"ValidationError: {error.title}: {said}")
    try:
        said = str(error)
    except Exception:
        said = ""
    return _one_line(f"{type(error).__name__}: {said}" if said.strip() else type(error).__name__)


def _one_line(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text[: 2 * _LONGEST_REASON])
    line = " ".join(printable.split())
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"
