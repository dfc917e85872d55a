"""The pulse root is found by one rule, and never in a stranger's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_plugin.errors import LayoutError, NotInitialised, UsageError
from recall_plugin.files import roots
from recall_plugin.memory.setup import make_memory, register


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return make_memory(tmp_path / "one").layout.root, make_memory(tmp_path / "two").layout.root


def test_the_option_wins_over_the_variable_over_the_registered_root(
    home: Path, two: tuple[Path, Path], tmp_path: Path
) -> None:
    one, other = two
    third = make_memory(tmp_path / "three").layout.root
    roots.register(third, {"HOME": str(home)})
    environment = {"HOME": str(home), "RECALL_PULSE_ROOT": str(other)}

    assert roots.resolve(str(one), environment) == roots.Root(one, "option")
    assert roots.resolve(None, environment) == roots.Root(other, "environment")
    assert roots.resolve(None, {"HOME": str(home)}) == roots.Root(third, "registered")


def test_the_older_file_is_read_while_there_is_no_newer_one(home: Path, two: tuple[Path, Path]) -> None:
    folder = home / ".config" / "recall-echo"
    folder.mkdir(parents=True)
    (folder / "entity-root").write_text(f"{two[0]}\n")
    environment = {"HOME": str(home)}

    assert roots.resolve(None, environment).path == two[0]
    roots.register(two[1], environment)
    assert roots.resolve(None, environment).path == two[1]


def test_a_memory_in_the_current_folder_is_not_used_and_the_message_says_so(
    two: tuple[Path, Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(two[0])

    with pytest.raises(NotInitialised, match="holds a memory/, but is not a registered root"):
        roots.resolve(None, {"HOME": str(home)})


def test_a_root_without_a_memory_is_not_initialised(tmp_path: Path, home: Path) -> None:
    with pytest.raises(NotInitialised, match="does not exist; run `recall init"):
        roots.resolve(str(tmp_path), {"HOME": str(home)})
    (tmp_path / "memory").write_text("")
    with pytest.raises(NotInitialised, match="is a file"):
        roots.resolve(str(tmp_path), {"HOME": str(home)})


@pytest.mark.parametrize("content", ["", "relative/path\n", "/a\n/b\n", "/a\0b", "\xff"])
def test_a_registered_file_that_holds_no_path_is_an_error(home: Path, content: str) -> None:
    folder = home / ".config" / "recall-echo"
    folder.mkdir(parents=True)
    (folder / "pulse-root").write_text(content, encoding="latin-1")

    with pytest.raises(LayoutError, match=r"absolute path|not UTF-8"):
        roots.registered({"HOME": str(home)})


def test_a_registered_file_that_others_can_write_is_refused(home: Path) -> None:
    roots.register(home, {"HOME": str(home)})
    (home / ".config" / "recall-echo" / "pulse-root").chmod(0o666)

    with pytest.raises(LayoutError, match="mode 0666"):
        roots.registered({"HOME": str(home)})


@pytest.mark.parametrize(("option", "variable"), [("", ""), ("a\0b", ""), (None, "relative")])
def test_a_name_that_is_no_path_is_a_usage_error(home: Path, option: str | None, variable: str) -> None:
    with pytest.raises(UsageError):
        roots.named(option, {"HOME": str(home), "RECALL_PULSE_ROOT": variable})


def test_a_second_registration_replaces_only_when_told_to(home: Path, two: tuple[Path, Path]) -> None:
    environment = {"HOME": str(home)}

    assert register(two[0], environment, replace=False).registered == two[0]
    kept = register(two[1], environment, replace=False)
    assert kept.kept
    assert kept.registered == two[0]
    assert register(two[1], environment, replace=True).registered == two[1]
    assert roots.registered(environment) == two[1]


def test_the_config_folder_follows_xdg_only_where_that_is_absolute(home: Path) -> None:
    assert roots.config_folder({"HOME": str(home), "XDG_CONFIG_HOME": "/c"}) == Path("/c/recall-echo")
    assert roots.config_folder({"HOME": str(home), "XDG_CONFIG_HOME": "c"}) == home / ".config" / "recall-echo"
