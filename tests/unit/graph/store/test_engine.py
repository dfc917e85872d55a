"""Whatever the engine or the disk does, it is one of our errors, and names the place."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from plain_user import PLAIN_USER

from recall_plugin.errors import StoreDamaged, StoreError
from recall_plugin.graph.store.engine import Engine

NOTE = "DEFINE TABLE IF NOT EXISTS note SCHEMALESS; CREATE note SET text = $text RETURN NONE;"
Damage = Callable[[bytes, random.Random], bytes]


async def written(folder: Path, count: int) -> None:
    """A database of so many notes, closed."""
    engine = await Engine.open(folder)
    for number in range(count):
        await engine.write(NOTE, {"text": f"{number} " * 200})
    await engine.close()


async def texts(folder: Path) -> list[str]:
    """The notes of a database."""
    engine = await Engine.open(folder)
    try:
        [found] = await engine.query("SELECT VALUE text FROM note")
        return sorted(found)
    finally:
        await engine.close()


def outcome(folder: Path) -> object:
    """The notes of a database, or the error that they are not to be had."""
    try:
        return asyncio.run(texts(folder))
    except StoreError as error:
        return error


def flipped(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(20):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize(
    "damage",
    [
        flipped,
        lambda data, dice: data[: dice.randrange(len(data))],
        lambda data, dice: bytes(len(data)),
        lambda data, dice: dice.randbytes(len(data)),
        lambda data, dice: b"",
    ],
    ids=["flipped", "cut off", "zeros", "noise", "empty"],
)
def test_a_damaged_file_is_an_error_of_ours_and_never_another_content(tmp_path: Path, damage: Damage) -> None:
    whole = tmp_path / "whole"
    asyncio.run(written(whole, 20))
    expected = asyncio.run(texts(whole))
    names = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file() and path.name != "LOCK")

    outcomes: list[object] = []
    for place, name in enumerate(names):
        folder = tmp_path / str(place)
        shutil.copytree(whole, folder)
        (folder / name).write_bytes(damage((whole / name).read_bytes(), random.Random(place)))
        outcomes.append(outcome(folder))

    assert any(isinstance(one, StoreDamaged) for one in outcomes)
    for one in outcomes:
        assert one == expected or (isinstance(one, StoreDamaged) and str(tmp_path) in str(one))


def test_a_file_in_place_of_the_folder_is_named_and_kept(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("words")

    with pytest.raises(StoreDamaged, match="store"):
        asyncio.run(Engine.open(tmp_path / "store"))

    assert (tmp_path / "store").read_text() == "words"


OPEN = """
import asyncio, sys
from pathlib import Path
from recall_plugin.errors import WriteFailed
from recall_plugin.graph.store.engine import Engine
try:
    asyncio.run(Engine.open(Path(sys.argv[1])))
except WriteFailed as error:
    print(error)
"""


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_may_not_be_written_is_no_damage(unlocked: Path, there: bool) -> None:
    store = unlocked / "parent" / "store"
    store.parent.mkdir()
    if there:
        asyncio.run(written(store, 1))
    for path in [store.parent, *store.parent.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)

    done = subprocess.run(
        [*PLAIN_USER, sys.executable, "-c", OPEN, str(store)],
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert f"cannot write {store}" in done.stdout
    assert "Permission denied" in done.stdout


FULL = """
import asyncio, resource, sys
from pathlib import Path
from recall_plugin.errors import WriteFailed
from recall_plugin.graph.store.engine import Engine

async def main():
    engine = await Engine.open(Path(sys.argv[1]))
    note = "DEFINE TABLE IF NOT EXISTS note SCHEMALESS; CREATE note SET text = $text; CREATE note SET text = $text;"
    await engine.write(note, {"text": "before"})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        for _ in range(50):
            await engine.write(note, {"text": "x" * 5000})
            print("kept", flush=True)
    except WriteFailed as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await engine.write(note, {"text": "after"})
    await engine.close()

asyncio.run(main())
"""


def test_a_write_that_the_disk_refuses_is_named_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "store")],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    kept, last = done.stdout.count("kept"), done.stdout.splitlines()[-1]
    assert 0 < kept < 50
    assert "files may not grow so large here" in last
    assert "ulimit -f" in last
    assert sorted(asyncio.run(texts(tmp_path / "store"))) == sorted(
        ["before", "before", "after", "after", *["x" * 5000] * (2 * kept)]
    )


def test_of_a_failed_transaction_the_first_cause_is_told_and_nothing_stays(tmp_path: Path) -> None:
    async def work() -> tuple[str, list[str]]:
        engine = await Engine.open(tmp_path / "store")
        with pytest.raises(StoreError) as failed:
            await engine.write(
                "DEFINE TABLE note SCHEMALESS; CREATE note SET text = 'one'; THROW 'the real cause'; CREATE note;"
            )
        await engine.write("DEFINE TABLE note SCHEMALESS;")
        [found] = await engine.query("SELECT * FROM note")
        await engine.close()
        return str(failed.value), found

    told, found = asyncio.run(work())

    assert "the real cause" in told
    assert found == []


@pytest.mark.parametrize("value", ["\ud800", 2**70, object()])
def test_a_value_that_cannot_be_told_is_an_error_of_ours(tmp_path: Path, value: object) -> None:
    async def work() -> list[str]:
        engine = await Engine.open(tmp_path / "store")
        with pytest.raises(StoreError):
            await engine.write(NOTE, {"text": value})
        await engine.write(NOTE, {"text": "'); DELETE note; --"})
        [found] = await engine.query("SELECT VALUE text FROM note")
        await engine.close()
        return list(found)

    assert asyncio.run(work()) == ["'); DELETE note; --"]


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    async def work() -> list[int]:
        engine = await Engine.open(tmp_path / "store")
        await engine.write("DEFINE TABLE sum SCHEMALESS; CREATE sum:all SET count = 0;")
        await asyncio.gather(*(engine.write("UPDATE sum:all SET count += 1;") for _ in range(100)))
        [found] = await engine.query("SELECT VALUE count FROM sum")
        await engine.close()
        return list(found)

    assert asyncio.run(work()) == [100]
