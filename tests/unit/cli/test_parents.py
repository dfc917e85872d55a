"""The line of parents: read from `/proc` and from `ps`, ended rather than waited for."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.cli.parents import MOST_PARENTS, Parent, from_proc, parents, table_of_ps

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux has /proc")


def test_the_first_parent_is_the_one_that_the_system_names() -> None:
    line = list(parents())

    assert line[0].pid == os.getppid()
    assert [one.ppid for one in line[:-1]] == [one.pid for one in line[1:]]


@needs_proc
def test_ps_and_proc_tell_the_same_line() -> None:
    def told(line: list[Parent]) -> list[tuple[int, int]]:
        return [(one.pid, one.ppid) for one in line]

    assert told(list(parents(table_of_ps()))) == told(list(parents(from_proc)))


@needs_proc
def test_a_name_that_looks_like_the_rest_of_the_line_is_read_as_a_name(tmp_path: Path) -> None:
    program = tmp_path / "a) S 1 (b"
    program.write_text("#!/bin/sh\necho ready\nread line\n")
    program.chmod(0o755)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = from_proc(process.pid)
        process.communicate("\n")

    assert found is not None
    assert found.short_name == "a) S 1 (b"
    assert found.ppid == os.getpid()


@needs_proc
def test_a_process_that_is_gone_is_not_known() -> None:
    process = subprocess.Popen(["true"])
    process.wait()

    assert from_proc(process.pid) is None


@pytest.mark.parametrize("text", ["", "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho nonsense; echo 1 x y; echo 2\n"])
def test_a_ps_that_fails_or_tells_nonsense_ends_the_line(tmp_path: Path, text: str) -> None:
    ps = tmp_path / "ps"
    if text:
        ps.write_text(text)
        ps.chmod(0o755)

    assert list(parents(table_of_ps(str(ps)))) == []


def test_a_ps_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    ps = tmp_path / "ps"
    ps.write_text("#!/bin/sh\nexec sleep 30\n")
    ps.chmod(0o755)
    started = time.monotonic()

    assert list(parents(table_of_ps(str(ps)))) == []
    assert time.monotonic() - started < 5


def test_a_line_that_bites_its_tail_ends() -> None:
    assert len(list(parents(lambda pid: Parent(pid, pid, "snake", ())))) == MOST_PARENTS


def test_a_slow_system_ends_the_line() -> None:
    def slow(pid: int) -> Parent:
        time.sleep(0.3)
        return Parent(pid, pid, "snail", ())

    assert len(list(parents(slow))) < 10


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["/usr/local/bin/claude", "--resume"], "claude"),
        (["claude --resume x"], "claude"),
        (["-zsh"], "zsh"),
        (["node", "/opt/bin/gemini"], "gemini"),
        (["/usr/bin/node", "--import", "hook.mjs", "--max-old-space-size=9", "/x/qwen.js"], "qwen"),
        (["python3.12", "-X", "dev", "-u", "/x/site-packages/aider/main.py"], "aider"),
        (["python3", "-m", "hermes_cli.main", "chat"], "hermes_cli"),
        (["/bin/bash", "-o", "pipefail", "/x/codex"], "codex"),
        (["bun", "/x/OpenCode.ts"], "opencode"),
    ],
)
def test_a_process_goes_by_its_program_and_its_script(words: list[str], name: str) -> None:
    assert name in Parent(2, 1, "", tuple(words)).names()


@pytest.mark.parametrize(
    "words",
    [
        ["bash", "-lc", "claude"],
        ["python3", "-c", "claude"],
        ["node", "-e", "claude"],
        ["python3", "tool.py", "claude"],
        ["bash", "-o", "claude", "tool"],
        ["vi", "claude"],
        ["node", "/home/claude/x.js"],
        ["node"],
        [],
    ],
)
def test_a_word_that_is_no_script_is_no_name(words: list[str]) -> None:
    assert "claude" not in Parent(2, 1, "", tuple(words)).names()


@given(
    st.sampled_from(["node", "python3", "sh"]),
    st.lists(st.sampled_from(["-m", "-r", "-o", "-", "", "/", "//", "@", "node_modules", "x/node_modules/@a"])),
)
def test_no_words_of_a_process_break_the_reading(program: str, words: list[str]) -> None:
    assert program in Parent(2, 1, "", (program, *words)).names()
