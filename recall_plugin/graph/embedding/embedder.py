"""One model, open."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recall_plugin.errors import EmbeddingStopped, ModelError, ModelUnusable, TextsNotEmbedded, UsageError
from recall_plugin.graph.embedding import bundled, catalogue
from recall_plugin.graph.embedding.batches import plan
from recall_plugin.graph.embedding.identity import ModelFiles, ModelIdentity

if TYPE_CHECKING:
    from fastembed import TextEmbedding

# Far more than the 256 tokens that the offline model sees; without a limit the tokenizer reads every megabyte.
_CHARACTERS_SEEN = 16_384
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_SMALLEST_NORM = 1e-6


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """What the model made of some of the texts.

    places: of those texts among all that were given, in no order.
    vectors: unit rows, float32 (n, d), one for each of the places.
    unusable: places of texts of which the model made no direction (zero, or not finite); they have no row.
    """

    places: tuple[int, ...]
    vectors: NDArray[np.float32]
    unusable: tuple[int, ...]


class Embedder:
    """An open model. It blocks while it works, so that asynchronous callers call it in a thread; it may be used by
    several threads at a time. Of a text only the first 16,384 characters are seen, and of those only as many tokens as
    the model sees (the offline one 256).

    identity: of the model, for whatever keeps its vectors. dimension: of the vectors.
    """

    def __init__(self, model: TextEmbedding, identity: ModelIdentity, dimension: int) -> None:
        self._model: TextEmbedding | None = model
        self.identity = identity
        self.dimension = dimension

    def embed(
        self,
        texts: Sequence[str],
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> NDArray[np.float32]:
        """The vectors of `texts` in their order: unit rows, float32 (n, d). The same text gives the same vector in any
        company, up to rounding (cosine above 0.9999).

        progress: told after each batch how many texts are done, and of how many.
        should_stop: asked before each batch, which takes well under a second.
        Raises EmbeddingStopped when told to stop, TextsNotEmbedded for texts that have no direction, and then gives
        no vectors; who wants to keep what was done takes `batches`.
        """
        vectors = np.empty((len(texts), self.dimension), np.float32)
        unusable: list[int] = []
        done = 0
        for batch in self.batches(texts, should_stop=should_stop):
            vectors[list(batch.places)] = batch.vectors
            unusable.extend(batch.unusable)
            done += len(batch.places) + len(batch.unusable)
            if progress is not None:
                progress(done, len(texts))
        if unusable:
            raise TextsNotEmbedded(self.identity.name, tuple(sorted(unusable)))
        return vectors

    def batches(
        self, texts: Sequence[str], *, should_stop: Callable[[], bool] | None = None
    ) -> Iterator[EmbeddedBatch]:
        """The vectors of `texts` as they are made, in batches of like lengths, the short texts first; every text once.

        Raises EmbeddingStopped as soon as `should_stop` says so before a batch; what was given until then stands.
        """
        model = self._opened()
        seen = [_seen(text) for text in texts]
        done = 0
        for places in plan([model.token_count([text]) for text in seen]):
            if should_stop is not None and should_stop():
                raise EmbeddingStopped(done, len(texts))
            rows = model.passage_embed([seen[place] for place in places], batch_size=len(places))
            vectors, good = _unit_rows(np.stack([np.asarray(row, np.float32) for row in rows]))
            done += len(places)
            yield EmbeddedBatch(
                tuple(place for place, is_good in zip(places, good, strict=True) if is_good),
                vectors[good],
                tuple(place for place, is_good in zip(places, good, strict=True) if not is_good),
            )

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector, float32 (d,), of what is looked for. Raises TextsNotEmbedded where it has no direction."""
        (row,) = self._opened().query_embed(_seen(text))
        vectors, good = _unit_rows(np.asarray(row, np.float32)[np.newaxis])
        if not good[0]:
            raise TextsNotEmbedded(self.identity.name, (0,))
        vector: NDArray[np.float32] = vectors[0]
        return vector

    def close(self) -> None:
        """The model's memory is given back; nothing can be embedded any more. Closing again changes nothing."""
        self._model = None

    def __enter__(self) -> Embedder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self) -> TextEmbedding:
        if self._model is None:
            raise ModelError(self.identity.name, "closed")
        return self._model


def open_embedder(name: str, models_folder: Path, threads: int) -> Embedder:
    """The model `name`, its files verified, loaded and ready.

    name: "minilm-int8", which needs no network and no folder, or one of fastembed's catalogue in any case, which is
    fetched from the hub into `models_folder` unless it stands there.
    threads: with which the model works, at least 1; one thread does most per CPU-second.
    Raises UsageError; UnknownModel; ModelMissing; ModelAltered, with both hashes; ModelUnusable; WriteFailed.
    """
    if threads < 1:
        raise UsageError(f"a model works with at least 1 thread, not {threads}")
    # Its tokenizer would take every core otherwise, and print a warning whenever the process forks.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # The runtime makes an id for this machine in the home folder and reports to its maker, unless told not to before it
    # is loaded; the hub's client counts downloads. Nothing outside the process is contacted unasked (law 4).
    os.environ.update(ORT_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_TELEMETRY="1")
    is_bundled = name.strip().lower() == bundled.NAME
    files = bundled.locate() if is_bundled else catalogue.locate(name, models_folder)
    model, dimension = _load(files, threads)
    return Embedder(model, files.identity, dimension)


def _load(files: ModelFiles, threads: int) -> tuple[TextEmbedding, int]:
    from fastembed import TextEmbedding  # noqa: PLC0415 (0.6 s, for those who embed)

    try:
        model = TextEmbedding(
            model_name=files.registered,
            threads=threads,
            specific_model_path=str(files.folder),
            local_files_only=True,
        )
        # Some broken models load and do not work; and the catalogue's dimension may not be the file's.
        (probe,) = model.query_embed("probe")
        return model, len(probe)
    except Exception as error:  # the runtime's errors have no common class
        raise ModelUnusable(files.identity.name, files.folder, " ".join(str(error).split())) from error


def _seen(text: str) -> str:
    return _SURROGATES.sub("�", text[:_CHARACTERS_SEEN])


def _unit_rows(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The rows at length 1, and which of them have a direction at all."""
    norms: NDArray[Any] = np.linalg.norm(rows.astype(np.float64), axis=1)
    good = np.isfinite(norms) & (norms > _SMALLEST_NORM)
    return (rows / np.where(good, norms, 1.0)[:, np.newaxis]).astype(np.float32), good
