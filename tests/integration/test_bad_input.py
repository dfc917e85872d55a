"""Whatever is wrong with the disk or the input: a clear error, an exit code, and nothing lost or half written."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from big_transcript import write_big
from conftest import SAMPLES, Recall
from plain_user import PLAIN_USER

from recall_plugin.files import conversations

TRANSCRIPT = next((SAMPLES / "claude-code" / "home").rglob("7c1f*.jsonl"))

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")


@pytest.fixture
def root(recall: Recall, tmp_path: Path) -> Path:
    """A registered root with a memory and one archive."""
    folder = tmp_path / "nia"
    assert recall("init", folder).returncode == 0
    assert recall("archive", TRANSCRIPT).returncode == 0
    return folder


def session(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": text}, "uuid": name}) + "\n")
    return path


def assert_clear(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_text("hello\n" * 100), "not a transcript in a format that is known here"),
        (lambda path: path.write_bytes(b"---\n\xff\xfe\n---\n"), "holds no turns"),
        (os.mkfifo, "not a regular file"),
    ],
)
def test_what_is_no_transcript_is_named(recall: Recall, root: Path, tmp_path: Path, make: object, words: str) -> None:
    path = tmp_path / "input"
    make(path)  # type: ignore[operator]
    before = snapshot(root)

    assert_clear(recall("archive", path), str(path), words)
    assert snapshot(root) == before


def test_an_empty_transcript_is_nothing_to_archive(recall: Recall, root: Path, tmp_path: Path) -> None:
    path = tmp_path / "f0000000-0000-4000-8000-000000000000.jsonl"
    path.write_bytes(b"")

    done = recall("archive", path)

    assert done.returncode == 0
    assert "nothing archived" in done.stdout


def test_a_transcript_that_may_not_be_read_is_named(recall: Recall, unlocked: Path) -> None:
    home = unlocked / "home"
    home.mkdir()
    closed = session(unlocked, "closed", "secret plan")
    closed.chmod(0)

    done = recall("archive", closed, "--dry-run", environment={"HOME": str(home)}, wrapper=PLAIN_USER)

    assert_clear(done, str(closed), "may not be read")


def test_conversations_that_may_not_be_written_are_named_and_unchanged(
    recall: Recall, root: Path, unlocked: Path
) -> None:
    file = session(unlocked, "new", "hello")
    (root / "memory" / "conversations").chmod(0o500)
    before = snapshot(root)

    done = recall("archive", file, "--pulse-root", root, wrapper=PLAIN_USER)

    assert_clear(done, "cannot write", "chmod u+rwx")
    assert snapshot(root) == before
    health = recall("health", "--pulse-root", root, wrapper=PLAIN_USER)
    assert health.returncode == 1
    assert health.stdout.startswith("down\n")


def test_an_index_that_may_not_be_written_does_not_cost_the_session(recall: Recall, root: Path, unlocked: Path) -> None:
    file = session(unlocked, "new", "hello")
    (root / "memory").chmod(0o500)

    done = recall("archive", file, wrapper=PLAIN_USER)

    assert done.returncode == 0
    assert "conversation-002.md" in done.stdout
    assert "its index is not yet" in done.stderr
    assert recall("health", wrapper=PLAIN_USER).stdout.startswith("down\n")
    (root / "memory").chmod(0o700)
    recall("consume", wrapper=PLAIN_USER)
    assert recall("health", wrapper=PLAIN_USER).stdout == "healthy\n"


def test_a_memory_in_a_folder_that_may_not_be_written_cannot_be_made(recall: Recall, unlocked: Path) -> None:
    (unlocked / "closed").mkdir(mode=0o555)

    done = recall("init", unlocked / "closed" / "nia", environment={"HOME": str(unlocked)}, wrapper=PLAIN_USER)

    assert_clear(done, "cannot write", "chmod")
    assert list((unlocked / "closed").iterdir()) == []


def test_an_unwritable_home_does_not_stop_the_memory(recall: Recall, unlocked: Path) -> None:
    home = unlocked / "home"
    home.mkdir(mode=0o555)
    (unlocked / "agents").mkdir()

    done = recall("init", unlocked / "agents" / "nia", environment={"HOME": str(home)}, wrapper=PLAIN_USER)

    assert done.returncode == 1
    assert str(home / ".config") in done.stderr
    assert (unlocked / "agents" / "nia" / "memory" / "MEMORY.md").exists()


@pytest.mark.parametrize("name", ["ARCHIVE.md", "EPHEMERAL.md"])
def test_a_folder_where_a_derived_file_should_be_does_not_cost_the_session(
    recall: Recall, root: Path, tmp_path: Path, name: str
) -> None:
    (root / "memory" / name).unlink()
    (root / "memory" / name).mkdir()

    done = recall("archive", session(tmp_path, "new", "hello"))
    consumed = recall("consume")

    assert name in done.stderr
    assert "Traceback" not in done.stderr + consumed.stderr
    assert consumed.returncode == 0
    assert name in consumed.stdout
    assert recall("health").returncode == 1
    (root / "memory" / name).rmdir()
    assert recall("archive", session(tmp_path, "new", "hello")).returncode == 0
    assert "hello" in recall("search", "hello").stdout
    recall("consume")
    assert recall("health").returncode == 0


def test_a_folder_where_memory_md_should_be_is_named(recall: Recall, root: Path) -> None:
    (root / "memory" / "MEMORY.md").unlink()
    (root / "memory" / "MEMORY.md").mkdir()

    assert "MEMORY.md is not shown" in recall("consume").stdout
    assert "MEMORY.md" in recall("health").stdout


def test_a_file_where_the_root_should_be_is_named(recall: Recall, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert_clear(recall("init", tmp_path / "file"), "a file stands where")


def test_invalid_utf8_in_layers_is_shown_and_not_lost(recall: Recall, root: Path) -> None:
    (root / "memory" / "MEMORY.md").write_bytes(b"caf\xe9 is open\n")
    with (root / "memory" / "conversations" / "conversation-001.md").open("ab") as file:
        file.write(b"\xff\xfe")

    assert "caf\ufffd is open" in recall("consume").stdout
    assert "metres" in recall("search", "metres").stdout
    assert recall("status").returncode == 0


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own with very little space."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=700", "tmpfs", str(folder)],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode != 0:
        pytest.skip("only root may mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_loses_nothing_and_the_next_try_with_space_succeeds(recall: Recall, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256) as disk:
        assert recall("init", disk / "nia").returncode == 0
        assert recall("archive", session(tmp_path, "first", "hello there")).returncode == 0
        before = snapshot(disk)
        large = session(tmp_path, "large", "word " * 100_000)

        done = recall("archive", large)

        assert_clear(done, "cannot write", "free some space")
        assert snapshot(disk) == before
        assert not list((disk / "nia" / "memory" / "conversations").glob(".tmp*"))
        hook = recall("archive-session", stdin=json.dumps({"session_id": "x", "transcript_path": str(large)}).encode())
        assert hook.returncode == 0
        assert "free some space" in hook.stderr
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        assert recall("archive", large).returncode == 0


def test_a_disk_that_fills_up_at_every_point_leaves_whole_files_or_none(recall: Recall, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 128) as disk:
        assert recall("init", disk / "nia").returncode == 0
        filler = disk / "filler"
        for number, room in enumerate(range(4, 60, 8)):
            filler.unlink(missing_ok=True)
            with contextlib.suppress(OSError), filler.open("wb") as file:
                file.write(b"x" * 10**6)
            with filler.open("r+b") as file:
                file.truncate(max(filler.stat().st_size - room * 1024, 0))
            done = recall("archive", session(tmp_path, f"s{number}", f"text {number} " * 400))
            assert done.returncode in (0, 1)
            assert "Traceback" not in done.stderr
        filler.unlink()

        for path in (disk / "nia" / "memory" / "conversations").iterdir():
            assert conversations.read_archive(path).complete
        recall("consume")
        assert recall("health").stdout.splitlines()[0] != "down"
        assert not [name for name in recall("health").stdout.splitlines() if "ARCHIVE.md" in name]


def peak_mebibytes(recall: Recall, *arguments: str | Path) -> float:
    # Not ru_maxrss: on Linux that begins with what the process that started this one had.
    program = (
        "import pathlib, sys; from recall_plugin.cli.main import main; status = main(sys.argv[1:]); "
        "lines = pathlib.Path('/proc/self/status').read_text().splitlines(); "
        "peak = next(int(line.split()[1]) for line in lines if line.startswith('VmHWM')); "
        "print(peak / 1024, file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=recall.environment, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return float(done.stderr.split()[-1])


@needs_proc
def test_a_transcript_of_100_megabytes_is_archived_in_bounded_memory(
    recall: Recall, root: Path, tmp_path: Path
) -> None:
    large = tmp_path / "5e0c2f4a-9b1d-4c6e-8a37-1f2d3c4b5a60.jsonl"
    write_big(large, 100)

    assert peak_mebibytes(recall, "archive", large) < 100
    assert conversations.read_head(root / "memory" / "conversations" / "conversation-002.md").messages > 1000
    shutil.rmtree(root)


@needs_proc
def test_a_tool_result_of_30_megabytes_is_clipped_with_a_mark(recall: Recall, root: Path, tmp_path: Path) -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": "run it"}, "uuid": "1"},
        {"type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "cat"}}]}},
        {"type": "user", "uuid": "3", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "x" * 30_000_000}]}},
    ]  # fmt: skip
    path = tmp_path / "huge.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert peak_mebibytes(recall, "archive", path) < 300
    text = (root / "memory" / "conversations" / "conversation-002.md").read_text()
    assert "[… 29996000 characters left out …]" in text
    assert len(text) < 10_000
