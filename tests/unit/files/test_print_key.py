"""One key for each user: made once, private, read with distrust, and never a reason to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recall_plugin.domain.fence import printed
from recall_plugin.files.print_key import KEY_FILE, print_key

PROGRAM = "import os\nfrom recall_plugin.files.print_key import print_key\nprint(print_key(os.environ))"


@pytest.fixture
def path(home: Path) -> Path:
    return home / ".config" / "recall-echo" / KEY_FILE


def test_a_key_is_made_once_private_and_kept(path: Path) -> None:
    first, second = print_key(os.environ), print_key(os.environ)

    assert first == second
    assert first.problem == ""
    assert path.read_text() == f"{first.key.hex()}\n"
    assert len(first.key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_two_users_have_two_keys(tmp_path: Path) -> None:
    assert print_key({"XDG_CONFIG_HOME": str(tmp_path / "a")}) != print_key({"XDG_CONFIG_HOME": str(tmp_path / "b")})


def test_processes_that_make_it_at_once_agree(home: Path) -> None:
    def run(number: int) -> str:
        return subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(run, range(8)))

    assert len(answers) == 1
    assert "problem=''" in answers.pop()


def test_a_print_is_recognised_with_the_key_and_not_with_another(tmp_path: Path) -> None:
    key = print_key({"XDG_CONFIG_HOME": str(tmp_path / "a")})
    first, second = key.print("text"), key.print("text")

    assert first.id != second.id
    assert [block.verified for block in printed(first.text, key.key)] == [True]
    assert [block.verified for block in printed(first.text, b"another")] == [False]


@pytest.mark.parametrize("content", ["", "no key", "0" * 63, "0" * 64 + "\n\n", "G" * 64, "0" * 64 + "\x00", "é" * 64])
def test_a_file_that_holds_no_key_is_named_and_left_alone(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(content)
    found = print_key(os.environ)

    assert f"{path}: holds no print key; remove it" in found.problem
    assert len(found.key) == 32
    assert found.key != print_key(os.environ).key
    assert path.read_text() == content


def test_a_key_that_others_could_have_written_is_not_used(path: Path) -> None:
    kept = print_key(os.environ).key
    path.chmod(0o620)
    found = print_key(os.environ)

    assert "others can write" in found.problem
    assert found.key != kept


@pytest.mark.parametrize("in_the_way", [".config", ".config/recall-echo"])
def test_where_no_key_can_be_kept_it_says_so_and_serves_once(home: Path, in_the_way: str) -> None:
    (home / in_the_way).parent.mkdir(exist_ok=True)
    (home / in_the_way).write_text("a file")
    found = print_key(os.environ)

    assert found.problem
    assert len(found.key) == 32


def test_a_folder_in_the_place_of_the_key_is_named(path: Path) -> None:
    path.mkdir(parents=True)

    assert "not a regular file" in print_key(os.environ).problem


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff" * 64)

    assert "not UTF-8" in print_key(os.environ).problem
