"""`pulse init`: a pulse has a pulse.toml that answers what it and its plugins ask, and everything was started once.

Nothing is written before every answer is there, and nothing that stands in the file is ever changed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from getpass import getpass
from pathlib import Path
from typing import TextIO

from pulse_hookspecs import Down, Plugins, worst
from pulse_host import settings as pulse_toml
from pulse_host import show
from pulse_host.errors import HostError, SettingsError, UsageError
from pulse_host.plugins import load
from pulse_host.questions import Question, Value, questions
from pulse_host.settings import FILE_NAME, Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", nargs="?", default=".", metavar="DIR", help="the folder of pulse.toml (default: here)")
    parser.add_argument("--yes", action="store_true", help="take the default wherever there is one; ask nothing")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="given", help="answer a question; repeatable"
    )
    parser.add_argument(
        "--disable", action="append", default=[], metavar="PLUGIN", help="leave an installed plugin out; repeatable"
    )


def run(arguments: argparse.Namespace, out: TextIO) -> int:
    """0 when the pulse is set up and nothing is Down, 1 otherwise."""
    folder = _folder(arguments.dir)
    settings = pulse_toml.read(folder / FILE_NAME)
    plugins = load(_disabled(settings, arguments.disable), hint=f"run `pulse init {arguments.dir} --disable NAME`")
    asked = questions(plugins.setup_prompts(), folder)
    given = _given(arguments.given, asked)
    _refuse_changes(settings, asked, given)
    missing = [question for question in asked if question.existing(settings) is None and question not in given]
    answers = {**given, **_answers(missing, arguments)}
    new = {question: value for question, value in answers.items() if question.existing(settings) is None}
    settings = _written(settings, new, arguments.disable, out)
    return _started(settings, plugins, out)


def _folder(text: str) -> Path:
    try:
        folder = pulse_toml.absolute(text, Path.cwd())
    except ValueError as error:
        raise UsageError(str(error)) from None
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="name the folder that pulse.toml shall be in")
    return folder


def _disabled(settings: Settings, more: Sequence[str]) -> tuple[str, ...]:
    """What is left out: what the file says, else what the command says."""
    if settings.disabled and not set(more) <= set(settings.disabled):
        listed = ", ".join(f'"{name}"' for name in settings.disabled)
        hint = "nothing was changed; add the others to that list by hand"
        raise SettingsError(settings.path, f"says already which plugins are disabled: [{listed}]", hint=hint)
    return settings.disabled or tuple(dict.fromkeys(more))


def _given(pairs: Sequence[str], asked: Sequence[Question]) -> dict[Question, Value]:
    """The answers of `--set`, checked. An empty answer to a question that needs none is no answer."""
    given: dict[Question, Value] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise UsageError(f"--set {show.printable(key)}: there is no value", hint="write --set key=value")
        question = _named(key.strip(), asked)
        try:
            value = question.check(text)
        except ValueError as error:
            raise UsageError(f"--set {question.key}: {error}", hint=show.printable(question.prompt.question)) from None
        if value is not None and given.setdefault(question, value) != value:
            raise UsageError(f"--set {question.key} is given twice, with different values", hint="give it once")
    return given


def _named(key: str, asked: Sequence[Question]) -> Question:
    """The question called `key`: in full (`recall.llm`), or by its last part where only one is called so."""
    key = "pulse_root" if key == pulse_toml.OLDER_ROOT_KEY else key
    for question in asked:
        if key == question.key or (question.key == "pulse_root" and key.endswith(".pulse_root")):
            return question
    short = [question for question in asked if question.prompt.key == key]
    if len(short) == 1:
        return short[0]
    known = ", ".join(question.key for question in short or asked)
    wrong = "several keys are called so" if short else "there is no such key"
    raise UsageError(f"--set {show.printable(key)}: {wrong}", hint=f"use one of: {known}")


def _refuse_changes(settings: Settings, asked: Sequence[Question], given: Mapping[Question, Value]) -> None:
    changed = []
    for question in asked:
        before = question.existing(settings)
        if before is not None and given.get(question, before) != before:
            changed.append(f"{question.key} is {question.show(before)} there, not {question.show(given[question])}")
    if changed:
        hint = "nothing was changed; edit the file if you mean it"
        raise SettingsError(settings.path, f"says otherwise: {'; '.join(changed)}", hint=hint)


def _answers(missing: Sequence[Question], arguments: argparse.Namespace) -> dict[Question, Value]:
    """Answers to the questions that are left: defaults with `--yes`, a person's at a terminal."""
    if sys.stdin is not None and sys.stdin.isatty() and not arguments.yes:
        answers = {question: _ask(question) for question in missing}
    else:
        answers = {question: question.default for question in missing}
        _refuse_unanswered([q for q in missing if q.prompt.required and (answers[q] is None or not arguments.yes)])
    return {question: value for question, value in answers.items() if value is not None}


def _refuse_unanswered(unanswered: Sequence[Question]) -> None:
    if not unanswered:
        return
    lines = [f"  --set {question.key}=...  {_question(question)}" for question in unanswered]
    yes = ["or take every default with --yes"] if all(question.default is not None for question in unanswered) else []
    raise UsageError("\n".join(["nobody can be asked here, and nothing was written; answer with", *lines, *yes]))


def _question(question: Question) -> str:
    default = question.default
    words = show.printable(question.prompt.question)
    return words if default is None else f"{words} [{show.printable(question.show(default))}]"


def _ask(question: Question) -> Value | None:
    """The answer of the person at the terminal, asked until it is right."""
    while True:
        words = f"{_question(question)} "
        try:
            text = getpass(words) if question.prompt.secret else input(words)
        except EOFError:
            raise HostError(f"no answer to {question.key}; nothing was written") from None
        if not text.strip() and question.default is not None:
            return question.default
        try:
            return question.check(text)
        except ValueError as error:
            print(f"  {error}", file=sys.stderr)


def _written(settings: Settings, new: Mapping[Question, Value], disable: Sequence[str], out: TextIO) -> Settings:
    top: dict[str, object] = {question.key: value for question, value in new.items() if not question.plugin}
    if disable and not settings.disabled:
        top["disabled"] = list(dict.fromkeys(disable))
    sections: dict[str, dict[str, object]] = {}
    for question, value in new.items():
        if question.plugin:
            sections.setdefault(question.plugin, {})[question.prompt.key] = value
    if not top and not sections:
        print(f"{settings.path} answers everything already; nothing was changed", file=out)
        return settings
    comment = "What this pulse is. `pulse init` adds what is missing and changes nothing; edit it as you like."
    pulse_toml.write(settings, top, sections, fresh=comment)
    what = "written" if settings.source is None else "added to, and otherwise unchanged:"
    keys = ", ".join([*top, *(f"{plugin}.{key}" for plugin, values in sections.items() for key in values)])
    print(f"{settings.path} {what} ({keys})" if settings.source is None else f"{settings.path} {what} {keys}", file=out)
    return pulse_toml.read(settings.path)


def _started(settings: Settings, plugins: Plugins, out: TextIO) -> int:
    """The plugins ran once, so that what they keep is there, and `out` says how they fare."""
    root = settings.pulse_root
    if root is not None and not root.exists():
        try:
            root.mkdir(parents=True, mode=0o700)
        except OSError as error:
            hint = "make the folder, or name another one in the file"
            reason = f"the pulse root {root} cannot be made: {error.strerror or error}"
            raise SettingsError(settings.path, reason, hint=hint) from None
    root = settings.existing_root()
    with plugins.running(pulse_root=root, pulse_name=settings.pulse_name, config=settings.sections):
        healths = plugins.health()
    for name, health in healths.items():
        show.table(show.rows(name, health), out)
    overall = worst(*healths.values())
    if isinstance(overall, Down):
        print(f"{settings.pulse_name} is set up, but does not work yet: see above", file=out)
        return 1
    print(f"{settings.pulse_name} is ready: `pulse status --dir {settings.path.parent}` shows how it fares", file=out)
    return 0
