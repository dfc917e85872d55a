"""A model of a few hundred kilobytes: a vector for each token and nothing else, written as ONNX by hand."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from recall_plugin.graph.embedding import bundled

NAME = "sentence-transformers/all-MiniLM-L6-v2"
REPOSITORY = "Qdrant/all-MiniLM-L6-v2-onnx"
REVISION = "5f1b8cd78bc4fb444dd171e59b18f3a3af89a079"
DIMENSION = 4
TOKENIZER = Path(bundled.__file__).parent / "offline"
_FLOAT, _INT64 = 1, 7


def small_model(special: Mapping[str, float]) -> bytes:
    """ONNX of a model whose tokens point somewhere each; the `special` ones have that number in every place, and the
    marks around a text zeros.
    """
    tokenizer = Tokenizer.from_file(str(TOKENIZER / "tokenizer.json"))
    table = np.random.default_rng(7).standard_normal((tokenizer.get_vocab_size(), DIMENSION), np.float32)
    for token, number in {"[CLS]": 0.0, "[SEP]": 0.0, **special}.items():
        table[tokenizer.token_to_id(token)] = number
    weights = b"".join(_number(1, size) for size in table.shape) + _number(2, _FLOAT)
    weights += _field(8, b"table") + _field(9, table.tobytes())
    node = _field(1, b"table") + _field(1, b"input_ids") + _field(2, b"output") + _field(4, b"Gather")
    graph = _field(1, node) + _field(2, b"graph") + _field(5, weights)
    graph += _field(11, _value("input_ids", _INT64, 2)) + _field(12, _value("output", _FLOAT, 3))
    return _number(1, 8) + _field(8, _number(2, 13)) + _field(7, graph)


def cached_model(folder: Path, onnx: bytes) -> Path:
    """The snapshot of a catalogue's model in `folder`, as the hub's library lays it out."""
    repository = folder / f"models--{REPOSITORY.replace('/', '--')}"
    snapshot = repository / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text(REVISION)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(TOKENIZER / name, snapshot / name)
    (snapshot / "model.onnx").write_bytes(onnx)
    return snapshot


def _value(name: str, element: int, dimensions: int) -> bytes:
    shape = b"".join(_field(1, _field(2, f"{name}{axis}".encode())) for axis in range(dimensions))
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, element) + _field(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])
