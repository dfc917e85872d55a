"""The models of fastembed's catalogue, found by name, in the folder of models or on the hub."""

from __future__ import annotations

import contextlib
import difflib
import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recall_plugin.domain.layout import FOLDER_MODE
from recall_plugin.errors import ModelMissing, UnknownModel, WriteFailed
from recall_plugin.graph.embedding.bundled import NAME as BUNDLED
from recall_plugin.graph.embedding.identity import ModelFiles, hash_file, identify

if TYPE_CHECKING:
    from fastembed.common.model_description import DenseModelDescription

# A fetch goes on for as long as anything arrives.
_SILENCE_SECONDS = 60.0
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json")


def locate(name: str, folder: Path, *, silence: float = _SILENCE_SECONDS) -> ModelFiles:
    """The files of the catalogue's model `name`, fetched from the hub into `folder` where they were not there yet.

    name: in any case. silence: seconds without a byte after which the hub is given up.
    The hub is not contacted for a model that is here, nor under HF_HUB_OFFLINE=1.
    Raises UnknownModel, naming what is spelled alike; ModelMissing; WriteFailed.
    """
    description = _find(name)
    model_folder = _cached(description, folder) or _fetched(description, folder, silence)
    names = (description.model_file, *description.additional_files, *_TOKENIZER_FILES)
    try:
        hashes = {file: hash_file(model_folder / file) for file in names if (model_folder / file).exists()}
    except OSError as error:
        raise ModelMissing(
            description.model, f"{error.filename} cannot be read: {error.strerror}", hint=_again(folder)
        ) from error
    return ModelFiles(identify(description.model, hashes), description.model, model_folder)


def _find(name: str) -> DenseModelDescription:
    from fastembed import TextEmbedding  # noqa: PLC0415 (0.6 s, for those who embed)
    from fastembed.common.model_description import DenseModelDescription, ModelSource  # noqa: PLC0415 (as slow)

    entries: dict[str, dict[str, Any]] = {
        str(entry["model"]): entry
        for entry in TextEmbedding.list_supported_models()
        if not str(entry["model"]).startswith(f"{BUNDLED}:")
    }
    wanted = name.strip().lower()
    for known, entry in entries.items():
        if known.lower() == wanted:
            return DenseModelDescription(**{**entry, "sources": ModelSource(**entry["sources"])})
    raise UnknownModel(name, _alike(wanted, [BUNDLED, *entries]))


def _alike(wanted: str, known: list[str]) -> tuple[str, ...]:
    """The names most like `wanted`, or like it without the owner; the best first."""
    spellings = {spelling: name for name in known for spelling in (name.lower(), name.lower().rpartition("/")[2])}
    tail = wanted.rpartition("/")[2]
    close = [
        *difflib.get_close_matches(wanted, spellings, n=3, cutoff=0.6),
        *difflib.get_close_matches(tail, spellings, n=3, cutoff=0.6),
    ]
    return tuple(dict.fromkeys(spellings[spelling] for spelling in close))[:4]


def _cached(description: DenseModelDescription, folder: Path) -> Path | None:
    """Where the model stands in `folder`, whole as far as names and sizes go; None where it does not."""
    with contextlib.suppress(Exception):  # the libraries below have many ways to say that something is not there
        found = Path(_download(description, folder, local_files_only=True))
        if all((found / file).is_file() for file in (description.model_file, *description.additional_files)):
            return found
    return None


def _fetched(description: DenseModelDescription, folder: Path, silence: float) -> Path:
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed.from_os_error(folder, error) from error
    repository = f"models--{description.sources.hf}".replace("/", "--")
    answers: list[Path | Exception] = []

    def fetch() -> None:
        try:
            # A file of the wrong size would be taken for the right one otherwise.
            damaged = any(folder.glob(f"{repository}/snapshots/*/{description.model_file}"))
            answers.append(Path(_download(description, folder, force_download=damaged)))
        except Exception as error:
            answers.append(error)

    # In a thread, because not every request of the hub's library ends by itself.
    thread = threading.Thread(target=fetch, name="fetch-model", daemon=True)
    thread.start()
    size, heard = _size(folder), time.monotonic()
    while not answers and time.monotonic() - heard < silence:
        thread.join(min(1.0, silence))
        if (now := _size(folder)) != size:
            size, heard = now, time.monotonic()
    answer = answers[0] if answers else TimeoutError(f"no byte came for {silence:.0f} s")
    if isinstance(answer, Exception):
        raise ModelMissing(
            description.model,
            f"it is not in {folder}, and {_hub()}/{description.sources.hf} cannot be had: {_reason(answer)}",
            hint=_again(folder),
        ) from answer
    return answer


def _download(description: DenseModelDescription, folder: Path, **options: bool) -> str:
    from fastembed import TextEmbedding  # noqa: PLC0415 (as slow)
    from huggingface_hub.utils.tqdm import disable_progress_bars  # noqa: PLC0415 (as slow)
    from loguru import logger  # noqa: PLC0415 (as slow)

    # What goes wrong is said by our own error; standard error belongs to the caller.
    logger.disable("fastembed")
    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    return TextEmbedding.download_files_from_huggingface(
        str(description.sources.hf),
        cache_dir=str(folder),
        extra_patterns=[description.model_file, *description.additional_files],
        **options,
    )


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # renamed meanwhile
            total += path.lstat().st_size
    return total


def _hub() -> str:
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def _again(folder: Path) -> str:
    return (
        f"run it again where the hub can be reached, or copy the models folder of a machine that has it to {folder}, "
        f"or use the model that needs no network: {BUNDLED}"
    )


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
