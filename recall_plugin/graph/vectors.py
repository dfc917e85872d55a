"""The vectors of one model, kept by the content of their texts, so that no text is embedded twice.

Two files in a folder of the model's own: the vectors, and the digests of their texts with a check over both. A row
counts when both its parts stand; the digests are written after the disk has confirmed the vectors. All of it can be
made again from the texts: whatever is doubtful is cut off or set aside, and said.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recall_plugin.domain.layout import FOLDER_MODE
from recall_plugin.errors import VectorsRefused, WriteFailed, WriteUnconfirmed
from recall_plugin.graph.embedding.identity import ModelIdentity
from recall_plugin.graph.record_file import RecordFile

DIGEST_SIZE = 16

_VECTORS = "vectors.bin"
_DIGESTS = "digests.bin"
_SET_ASIDE = ".set-aside"
# Magic, version, dimension, SHA-256 of the identity, and a check of all that; padded to the length below.
_HEADER = struct.Struct("<8sII32s")
_HEADER_SIZE = 64
_MAGIC = {_VECTORS: b"recallV\n", _DIGESTS: b"recallD\n"}
_VERSION = 1
_DIGEST_RECORD = struct.Struct(f"<{DIGEST_SIZE}sI")
_TAIL_ROWS = 1024
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class OpeningReport:
    """What was found when the vectors were opened.

    rows: that are good. cut: rows whose vector or digest had been lost or torn in a crash, and which were cut off.
    set_aside: the files that were not of this model, or damaged, renamed; empty otherwise. reason: why, in words.
    """

    rows: int
    cut: int = 0
    set_aside: tuple[Path, ...] = ()
    reason: str = ""


def digest(text: str) -> bytes:
    """What a text is known by: the first 16 bytes of the SHA-256 of its UTF-8 (lone surrogates as they are)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST_SIZE]


class VectorFile:
    """The vectors of one model, open in the one process that owns them. Any thread may read; one at a time writes.

    Rows are numbered from 0 in the order in which they were added, and keep their numbers.
    """

    def __init__(
        self, path: Path, dimension: int, vectors: RecordFile, digests: RecordFile, report: OpeningReport
    ) -> None:
        self.path = path
        self.dimension = dimension
        self.report = report
        self._vectors = vectors
        self._digests = digests
        self._known: list[bytes] = _digests_of(digests.read(0, report.rows))
        self._checks: list[int] = []  # of the rows whose digests are not written yet
        self._flushed = report.rows
        self._rows = {key: row for row, key in reversed(list(enumerate(self._known)))}
        self._mapped: NDArray[np.float32] = np.empty((0, dimension), np.float32)
        self._unconfirmed: WriteUnconfirmed | None = None

    @classmethod
    def open(cls, folder: Path, identity: ModelIdentity, dimension: int) -> VectorFile:
        """The vectors of `identity`, in a folder of its own below `folder`, are open; none where there were none.

        Files of another model or dimension, or with a damaged header, are renamed (`report.set_aside`), those set
        aside before are overwritten. Raises WriteFailed, LayoutError.
        """
        path = folder / identity.key
        try:
            path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        except OSError as error:
            raise WriteFailed.from_os_error(path, error) from error
        vectors, digests = _open_both(path, identity, dimension)
        reason = _fault(vectors, identity, dimension) or _fault(digests, identity, dimension)
        set_aside: tuple[Path, ...] = ()
        if reason:
            set_aside = _set_aside(vectors, digests)
            vectors, digests = _open_both(path, identity, dimension)
        try:
            standing = max(vectors.standing, digests.standing)
            rows = _good_rows(vectors, digests)
            # Vectors before digests, here too: a digest that stands has its vector.
            digests.cut(rows)
            vectors.cut(rows)
            report = OpeningReport(rows, standing - rows, set_aside, reason)
            return cls(path, dimension, vectors, digests, report)
        except BaseException:
            vectors.close()
            digests.close()
            raise

    def __len__(self) -> int:
        return len(self._known)

    def rows(self, digests: Sequence[bytes]) -> NDArray[np.int64]:
        """The row of each digest, int64 (n,); -1 for those that are not here."""
        return np.fromiter((self._rows.get(key, -1) for key in digests), np.int64, len(digests))

    def digest_at(self, row: int) -> bytes:
        """The digest of a row. Raises IndexError."""
        return self._known[row]

    @property
    def matrix(self) -> NDArray[np.float32]:
        """All vectors, float32 (n, d), read-only, mapped from the file and not read into memory.

        What was taken stays good; rows added later are in what is taken later.
        """
        count = len(self._known)
        if count != len(self._mapped):
            mapped = mmap.mmap(self._vectors.descriptor, _HEADER_SIZE + count * self._row_size, access=mmap.ACCESS_READ)
            flat = np.frombuffer(mapped, "<f4", count * self.dimension, _HEADER_SIZE)
            self._mapped = flat.reshape(count, self.dimension)
        return self._mapped

    def add(self, digests: Sequence[bytes], vectors: NDArray[np.floating]) -> NDArray[np.int64]:
        """Each digest has a row, returned as int64 (n,); those that had one keep it, and its vector.

        vectors: (n, d), finite and of length 1 to a thousandth; kept as float32.
        The new rows are read at once, and outlast a crash from the next `flush` on.
        Raises VectorsRefused, WriteFailed, and then nothing has changed; WriteUnconfirmed after a flush that the disk
        did not confirm; ValueError for what does not fit together.
        """
        self._must_be_sound()
        new = np.ascontiguousarray(vectors, "<f4")
        if new.shape != (len(digests), self.dimension):
            raise ValueError(f"{len(digests)} digests want vectors ({len(digests)}, {self.dimension}), not {new.shape}")
        if any(len(key) != DIGEST_SIZE for key in digests):
            raise ValueError(f"a digest has {DIGEST_SIZE} bytes")
        lengths = np.sqrt(np.einsum("ij,ij->i", new, new, dtype=np.float64))
        refused = np.flatnonzero(~(np.abs(lengths - 1) <= _TOLERANCE))
        if len(refused):
            raise VectorsRefused(self.path, tuple(refused.tolist()))
        places = {key: place for place, key in reversed(list(enumerate(digests))) if key not in self._rows}
        keys = sorted(places, key=places.__getitem__)
        if keys:
            data = new[[places[key] for key in keys]].tobytes()
            first = len(self._known)
            self._vectors.write(first, data)
            self._checks.extend(_checks(keys, data, self._row_size))
            self._known.extend(keys)
            self._rows.update((key, first + number) for number, key in enumerate(keys))
        return self.rows(digests)

    def flush(self) -> None:
        """Every row is on the disk.

        Raises WriteFailed, where the rows are still here and another flush may succeed; WriteUnconfirmed, after which
        nothing is written until the vectors are opened again.
        """
        self._must_be_sound()
        if not self._checks:
            return
        records = b"".join(map(_DIGEST_RECORD.pack, self._known[self._flushed :], self._checks))
        try:
            self._vectors.sync()
            self._digests.write(self._flushed, records)
            self._digests.sync()
        except WriteUnconfirmed as error:
            self._unconfirmed = error
            raise
        self._flushed = len(self._known)
        self._checks.clear()

    def close(self) -> None:
        """Every row is on the disk, and the files are closed, whether or not that succeeded. Raises as `flush`."""
        try:
            if self._unconfirmed is None:
                self.flush()
        finally:
            self._vectors.close()
            self._digests.close()

    @property
    def _row_size(self) -> int:
        return 4 * self.dimension

    def _must_be_sound(self) -> None:
        if self._unconfirmed is not None:
            raise self._unconfirmed


def _open_both(path: Path, identity: ModelIdentity, dimension: int) -> tuple[RecordFile, RecordFile]:
    vectors = RecordFile(path / _VECTORS, _header(_VECTORS, identity, dimension), 4 * dimension)
    try:
        digests = RecordFile(path / _DIGESTS, _header(_DIGESTS, identity, dimension), _DIGEST_RECORD.size)
    except BaseException:
        vectors.close()
        raise
    return vectors, digests


def _header(name: str, identity: ModelIdentity, dimension: int) -> bytes:
    model = hashlib.sha256(f"{identity.name}\0{identity.digest}".encode()).digest()
    packed = _HEADER.pack(_MAGIC[name], _VERSION, dimension, model).ljust(_HEADER_SIZE - 4, b"\0")
    return packed + zlib.crc32(packed).to_bytes(4, "little")


def _fault(file: RecordFile, identity: ModelIdentity, dimension: int) -> str:
    """Why a file is not of this model, in words; empty where it is."""
    found = file.found_header
    if found == _header(file.path.name, identity, dimension):
        return ""
    body, check = found[:-4], found[-4:]
    if len(found) < _HEADER_SIZE or zlib.crc32(body).to_bytes(4, "little") != check:
        return f"{file.path.name}: its header is damaged"
    _, version, found_dimension, _ = _HEADER.unpack_from(found)
    if version != _VERSION:
        return f"{file.path.name}: its format is version {version}, not {_VERSION}"
    if found_dimension != dimension:
        return f"{file.path.name}: its vectors have {found_dimension} dimensions, not {dimension}"
    return f"{file.path.name}: its vectors are another model's"


def _set_aside(*files: RecordFile) -> tuple[Path, ...]:
    renamed: list[Path] = []
    for file in files:
        file.close()
        target = file.path.with_name(file.path.name + _SET_ASIDE)
        try:
            file.path.replace(target)
        except OSError as error:
            raise WriteFailed.from_os_error(target, error) from error
        renamed.append(target)
    return tuple(renamed)


def _good_rows(vectors: RecordFile, digests: RecordFile) -> int:
    """How many rows stand before the first that a crash left half written.

    Only what was written last can be: rows are checked from the end back to a block whose first one is good.
    """
    good = min(vectors.standing, digests.standing)
    stop = good
    while stop:
        start = max(0, stop - _TAIL_ROWS)
        records = digests.read(start, stop)
        keys = _digests_of(records)
        data = vectors.read(start, stop)
        written = [check for _, check in _DIGEST_RECORD.iter_unpack(records)]
        size = len(data) // len(keys)
        bad = next((row for row, check in enumerate(_checks(keys, data, size)) if check != written[row]), None)
        if bad is None:
            return good
        good = start + bad
        if bad:
            return good
        stop = start
    return 0


def _digests_of(records: bytes) -> list[bytes]:
    return [records[start : start + DIGEST_SIZE] for start in range(0, len(records), _DIGEST_RECORD.size)]


def _checks(keys: Sequence[bytes], data: bytes, size: int) -> list[int]:
    view = memoryview(data)
    return [zlib.crc32(view[row * size : (row + 1) * size], zlib.crc32(key)) for row, key in enumerate(keys)]
