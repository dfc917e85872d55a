"""The contract is written down: every hook says what a plugin's author must know, and has a test."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pluggy
import pytest

from pulse_hookspecs import PROJECT, spec

SECTIONS = ("Called", "With", "Returns", "May block", "If it raises")
DOCUMENT = Path(__file__).parents[2] / "docs" / "writing-a-memory-plugin.md"

HOOKS: dict[str, Callable[..., object]] = {
    name: function
    for name, function in vars(spec).items()
    if inspect.isfunction(function) and hasattr(function, f"{PROJECT}_spec")
}


def docstring(hook: str) -> str:
    return inspect.getdoc(HOOKS[hook]) or ""


def section(hook: str, title: str) -> str:
    found = re.search(rf"^{title}:(.*?)(?=^\S|\Z)", docstring(hook), flags=re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def test_the_hooks_are_exactly_these():
    assert set(HOOKS) == {
        "plugin_meta",
        "setup_prompts",
        "start",
        "stop",
        "session_context",
        "create_checkpoint",
        "archive_session",
        "read_transcript",
        "health",
    }


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_answers_every_question_of_a_plugins_author(hook):
    assert [title for title in SECTIONS if not section(hook, title)] == []


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hooks_first_line_says_how_long_it_may_block(hook):
    first = docstring(hook).splitlines()[0]
    stated = re.search(r"May block for ([0-9.]+) s\.$", first)

    assert stated, first
    assert section(hook, "May block").startswith(f"{stated[1]} s")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_describes_each_of_its_arguments(hook):
    arguments = inspect.signature(HOOKS[hook]).parameters
    described = re.findall(r"^    (\w+)  +\w", section(hook, "With").join(("\n    ", "")), flags=re.MULTILINE)

    assert described == list(arguments)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_is_typed(hook):
    signature = inspect.signature(HOOKS[hook])

    assert signature.return_annotation is not signature.empty
    assert all(parameter.annotation is not parameter.empty for parameter in signature.parameters.values())


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_has_a_test_that_bears_its_name(hook):
    names = [
        node.name
        for file in Path(__file__).parent.glob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]

    assert [name for name in names if name.startswith(f"test_{hook}_")]


@pytest.mark.parametrize("hook", HOOKS)
def test_the_guide_for_authors_states_the_same_seconds(hook):
    row = next(line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{hook}`"))

    assert row.split("|")[3].strip() == section(hook, "May block").split(" s")[0] + " s"


def test_pluggy_accepts_the_contract():
    manager = pluggy.PluginManager(PROJECT)

    manager.add_hookspecs(spec)

    assert {name for name in vars(manager.hook) if not name.startswith("_")} == set(HOOKS)


def test_the_guardian_sees_a_missing_section(monkeypatch):
    def half_documented() -> None:
        """Nothing is true. May block for 1 s.

        Called: never.
        """

    monkeypatch.setitem(HOOKS, "half_documented", half_documented)

    assert section("half_documented", "Called")
    assert not section("half_documented", "Returns")
