"""Vectors are kept once, by content, for one model, and no crash leaves a wrong one."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import vector_rows
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from vector_rows import DIMENSION, MODEL, keys_of, open_file, vectors

from recall_plugin.errors import LayoutError, VectorsRefused, WriteFailed, WriteUnconfirmed
from recall_plugin.graph.embedding import ModelIdentity
from recall_plugin.graph.vectors import digest


def test_a_digest_tells_texts_apart_lone_surrogates_included() -> None:
    texts = ["", " ", "a", "a\0", "\ud800", "�", "?", "Zoë", "Zoe\u0308"]

    assert len({digest(text) for text in texts}) == len(texts)
    assert {len(digest(text)) for text in texts} == {16}
    assert digest("text") == bytes.fromhex("982d9e3eb996f559e633f4d194def376")


def test_vectors_come_back_the_same_after_opening_again(tmp_path: Path) -> None:
    keys = keys_of("one", "two", "three")
    opened = open_file(tmp_path)
    added = opened.add(keys, vectors(keys))
    opened.close()
    opened = open_file(tmp_path)
    found = opened.rows([*keys[::-1], digest("four")])

    assert added.tolist() == [0, 1, 2]
    assert found.tolist() == [2, 1, 0, -1]
    assert found.dtype == np.int64
    assert (opened.matrix == vectors(keys)).all()
    assert opened.report.rows == len(opened) == 3
    assert opened.report.cut == 0
    opened.close()


def test_a_known_text_keeps_its_row_and_its_vector(tmp_path: Path) -> None:
    one, two = keys_of("one", "two")
    opened = open_file(tmp_path)
    opened.add([one], vectors([one]))
    added = opened.add([two, one, two], vectors([two, two, one]))

    assert added.tolist() == [1, 0, 1]
    assert (opened.matrix == vectors([one, two])).all()
    opened.close()


def test_the_matrix_is_read_only_and_stays_good_while_the_file_grows(tmp_path: Path) -> None:
    keys = keys_of(*map(str, range(2000)))
    opened = open_file(tmp_path)
    empty = opened.matrix
    opened.add(keys[:1000], vectors(keys[:1000]))
    before = opened.matrix
    opened.add(keys[1000:], vectors(keys[1000:]))

    assert empty.shape == (0, DIMENSION)
    assert not before.flags.writeable
    assert (before == vectors(keys[:1000])).all()
    assert (opened.matrix == vectors(keys)).all()
    opened.close()


@pytest.mark.parametrize("spoilt", [0.0, np.nan, np.inf, 2.0, 1e300])
def test_a_vector_that_is_no_finite_unit_vector_is_refused_with_all_that_came_with_it(
    spoilt: float, tmp_path: Path
) -> None:
    keys = keys_of("one", "two")
    given = vectors(keys).astype(np.float64)
    given[1] *= spoilt
    opened = open_file(tmp_path)

    with pytest.raises(VectorsRefused) as caught, np.errstate(over="ignore"):
        opened.add(keys, given)

    assert caught.value.places == (1,)
    assert len(opened) == 0
    opened.close()


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    opened = open_file(tmp_path)
    for keys, given in (
        ([digest("one")], np.ones((1, DIMENSION + 1)) / 3),
        ([digest("one")], np.ones((2, DIMENSION)) / DIMENSION**0.5),
        ([b"short"], np.ones((1, DIMENSION)) / DIMENSION**0.5),
    ):
        with pytest.raises(ValueError, match="digest"):
            opened.add(keys, given)

    assert len(opened) == 0
    opened.close()


@pytest.mark.parametrize(
    ("identity", "dimension", "reason"),
    [
        (ModelIdentity("model", "ab" * 8 + "cd" * 24), DIMENSION, "another model's"),
        (MODEL, 16, "8 dimensions, not 16"),
    ],
)
def test_vectors_of_another_model_or_dimension_are_set_aside(
    identity: ModelIdentity, dimension: int, reason: str, tmp_path: Path
) -> None:
    assert identity.key == MODEL.key
    keys = keys_of("one")
    opened = open_file(tmp_path)
    opened.add(keys, vectors(keys))
    opened.close()
    opened = open_file(tmp_path, identity, dimension)
    report = opened.report

    assert len(opened) == 0
    assert opened.rows(keys).tolist() == [-1]
    assert reason in report.reason
    assert [path.name for path in report.set_aside] == ["vectors.bin.set-aside", "digests.bin.set-aside"]
    assert all(path.exists() for path in report.set_aside)
    opened.close()


@pytest.mark.parametrize("name", ["vectors.bin", "digests.bin"])
@pytest.mark.parametrize("header", [b"", b"short", b"\0" * 64, b"\xff" * 4096])
def test_a_file_with_a_damaged_header_is_set_aside_and_one_that_vanished_is_made_again(
    name: str, header: bytes, tmp_path: Path
) -> None:
    keys = keys_of("one", "two")
    opened = open_file(tmp_path)
    opened.add(keys, vectors(keys))
    opened.close()
    path = tmp_path / MODEL.key / name
    path.write_bytes(header + path.read_bytes()[len(header) :] if header else b"")
    opened = open_file(tmp_path)

    assert len(opened) == 0
    assert opened.report.cut == (0 if header else 2)
    assert opened.report.reason == (f"{name}: its header is damaged" if header else "")
    assert opened.add(keys, vectors(keys)).tolist() == [0, 1]
    opened.close()


@pytest.mark.parametrize("name", ["vectors.bin", "digests.bin"])
@pytest.mark.parametrize("zeroed", [1, 700, 3000])
def test_rows_that_a_power_cut_left_as_zeros_are_cut_off(name: str, zeroed: int, tmp_path: Path) -> None:
    keys = keys_of(*map(str, range(3000)))
    opened = open_file(tmp_path)
    opened.add(keys, vectors(keys))
    opened.close()
    path = tmp_path / MODEL.key / name
    size = zeroed * {"vectors.bin": 4 * DIMENSION, "digests.bin": 20}[name]
    with path.open("r+b") as file:
        file.seek(-size, os.SEEK_END)
        file.write(b"\0" * size)
    opened = open_file(tmp_path)

    assert len(opened) == 3000 - zeroed
    assert opened.report.cut == zeroed
    assert (opened.matrix == vectors(keys[: 3000 - zeroed])).all()
    opened.close()


def test_what_is_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed, match="file"):
        open_file(tmp_path / "file")
    (tmp_path / MODEL.key).mkdir()
    os.mkfifo(tmp_path / MODEL.key / "digests.bin")

    with pytest.raises(LayoutError, match=r"digests\.bin: not a regular file"):
        open_file(tmp_path)


def test_after_an_unconfirmed_flush_nothing_is_written_until_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = keys_of("one", "two")
    opened = open_file(tmp_path)
    opened.add(keys[:1], vectors(keys[:1]))
    opened.flush()
    opened.add(keys[1:], vectors(keys[1:]))

    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(WriteUnconfirmed, match="Input/output error"):
            opened.flush()
    for write in (opened.flush, lambda: opened.add(keys, vectors(keys))):
        with pytest.raises(WriteUnconfirmed):
            write()
    opened.close()

    assert len(open_file(tmp_path)) == 1


FULL_DISK = """
import resource, sys
from pathlib import Path
import numpy as np
from recall_plugin.errors import WriteFailed
from recall_plugin.graph.embedding import ModelIdentity
from recall_plugin.graph.vectors import VectorFile, digest

def batch(number):
    rows = np.random.default_rng(number).standard_normal((10, 8))
    keys = [digest(f"{number} {row}") for row in range(10)]
    return keys, (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

def refused(call, *arguments):
    try:
        call(*arguments)
    except WriteFailed as error:
        assert "raise the limit" in str(error), error
    else:
        raise SystemExit("written in spite of the limit")

file = VectorFile.open(Path(sys.argv[1]), ModelIdentity("model", "ab" * 32), 8)
file.add(*batch(0))
file.flush()
limit(64 + 10 * 32 + 5 * 32 + 7)  # the vectors of half another batch, and a torn one
refused(file.add, *batch(1))
assert len(file) == len(file.matrix) == 10
assert (file.path / "vectors.bin").stat().st_size == 64 + 10 * 32
limit(resource.RLIM_INFINITY)
file.add(*batch(1))
limit(64 + 10 * 20 + 5 * 20 + 7)  # the digests of half of it, and a torn one
refused(file.flush)
assert len(file) == len(file.matrix) == 20
assert (file.path / "digests.bin").stat().st_size == 64 + 10 * 20
limit(resource.RLIM_INFINITY)
file.add(*batch(2))
file.close()
file = VectorFile.open(Path(sys.argv[1]), ModelIdentity("model", "ab" * 32), 8)
assert file.report.cut == 0
for number in range(3):
    keys, rows = batch(number)
    assert (file.matrix[file.rows(keys)] == rows).all()
"""


def test_a_full_disk_cuts_back_to_what_was_good_and_the_same_file_goes_on_with_room(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_killed_while_adding_leaves_every_flushed_row_and_no_wrong_one(tmp_path: Path) -> None:
    chance = random.Random(5)
    flushed = 0
    for _ in range(20):
        flushed = max(flushed, _killed_while_adding(tmp_path, chance.uniform(0, 0.05)))
        opened = open_file(tmp_path)
        keys = [digest(str(number)) for number in range(len(opened))]
        assert len(opened) >= flushed
        assert opened.rows(keys).tolist() == list(range(len(opened)))
        assert (opened.matrix == vectors(keys)).all()
        opened.close()

    assert flushed > 20


def _killed_while_adding(folder: Path, seconds: float) -> int:
    """A process that adds without end is gone; the number of rows that it had flushed."""
    with subprocess.Popen(
        [sys.executable, vector_rows.__file__, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read().split("\n")
    return max((int(line) for line in said[:-1]), default=0)  # the last line may be torn


def test_150_000_vectors_open_in_less_than_a_third_of_a_second(tmp_path: Path) -> None:
    dimension, count = 384, 150_000
    opened = open_file(tmp_path, dimension=dimension)
    block = np.random.default_rng(1).standard_normal((5000, dimension), np.float32)
    block /= np.linalg.norm(block, axis=1, keepdims=True)
    for first in range(0, count, len(block)):
        keys = [number.to_bytes(16, "big") for number in range(first, first + len(block))]
        opened.add(keys, block)
    opened.close()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    opened = open_file(tmp_path, dimension=dimension)
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

    assert opened.matrix.shape == (count, dimension)
    assert opened.rows([(123_456).to_bytes(16, "big")]).tolist() == [123_456]
    assert (opened.matrix[123_456] == block[3_456]).all()
    assert seconds < 0.3
    opened.close()


class Mirrored(RuleBasedStateMachine):
    """A file of vectors beside a list of digests, through adding, flushing, closing, crashing and tearing."""

    @initialize()
    def start(self) -> None:
        self.folder = TemporaryDirectory()
        self.file = open_file(Path(self.folder.name))
        self.keys: list[bytes] = []
        self.flushed = 0

    @rule(texts=st.lists(st.sampled_from("abcdefghijklmnop"), max_size=6))
    def add(self, texts: list[str]) -> None:
        keys = keys_of(*texts)
        rows = self.file.add(keys, vectors(keys))
        self.keys.extend(key for key in dict.fromkeys(keys) if key not in self.keys)
        assert [self.keys[row] for row in rows] == keys

    @rule()
    def flush(self) -> None:
        self.file.flush()
        self.flushed = len(self.keys)

    @rule()
    def close_and_open(self) -> None:
        self.file.close()
        self._open(len(self.keys))

    @rule()
    def crash_and_open(self) -> None:
        self._crash()
        self._open(self.flushed)

    @precondition(lambda self: self.flushed)
    @rule(name=st.sampled_from(["vectors.bin", "digests.bin"]), data=st.data())
    def tear_and_open(self, name: str, data: st.DataObject) -> None:
        self._crash()
        path = self.file.path / name
        record = {"vectors.bin": 4 * DIMENSION, "digests.bin": 20}[name]
        size = data.draw(st.integers(64, 64 + self.flushed * record), "size")
        os.truncate(path, size)
        self._open((size - 64) // record)

    @invariant()
    def holds_what_the_list_holds(self) -> None:
        if hasattr(self, "file"):
            assert len(self.file) == len(self.keys)
            assert (self.file.matrix == vectors(self.keys)).all()
            assert self.file.rows(self.keys).tolist() == list(range(len(self.keys)))
            assert [self.file.digest_at(row) for row in range(len(self.keys))] == self.keys

    def teardown(self) -> None:
        if hasattr(self, "file"):
            self._crash()
            self.folder.cleanup()

    def _crash(self) -> None:
        """The descriptors are gone, as with a killed process."""
        self.file._vectors.close()
        self.file._digests.close()

    def _open(self, count: int) -> None:
        self.file = open_file(Path(self.folder.name))
        self.keys = self.keys[:count]
        self.flushed = count


Mirrored.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestMirrored = Mirrored.TestCase
