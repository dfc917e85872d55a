"""Vectors, search caches and the model of one open store; each is opened when it is first needed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import LayoutError, ModelChanged, TextsNotEmbedded
from recall_plugin.graph.embedding.embedder import Embedder, open_embedder
from recall_plugin.graph.finishing import finished
from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.commit import COMMIT
from recall_plugin.graph.retrieval.passages import NO_ROW, Passage
from recall_plugin.graph.retrieval.questions import embedded_query
from recall_plugin.graph.store.episodes import ArchiveRecord, EpisodeRecord, Episodes
from recall_plugin.graph.store.knowledge import EntityLine, Knowledge
from recall_plugin.graph.store.store import Store
from recall_plugin.graph.vectors import VectorFile, digest
from recall_plugin.memory.graph.settings import GraphSettings

_MOST_THREADS = 4
# How many texts a crash may cost to embed again: some seconds of work.
_FLUSH_TEXTS = 100


@dataclass(frozen=True, slots=True)
class Embedded:
    """digests: of the texts, in order. fresh: how many of them the model saw now."""

    digests: tuple[bytes, ...]
    fresh: int


class Searcher:
    """What finds the episodes and entities of a store. Its methods are for one loop; the work is done in threads."""

    def __init__(
        self, layout: Layout, settings: GraphSettings, store: Store, episodes: Episodes, knowledge: Knowledge
    ) -> None:
        self._layout = layout
        self._settings = settings
        self._store = store
        self.episodes = episodes
        self._knowledge = knowledge
        self._model: Embedder | None = None
        self._vectors: VectorFile | None = None
        self._episode_cache: SearchCache | None = None
        self._entity_cache: SearchCache | None = None
        self._opening = asyncio.Lock()
        self._embedding = asyncio.Lock()
        # Held while a cache is made or changed, so that what comes meanwhile comes after.
        self._caching = asyncio.Lock()
        # Held by whoever puts an archive into the store: one at a time, so that the cache follows in the same order.
        self.putting = asyncio.Lock()
        # Asked between batches of texts: whether embedding is to be interrupted.
        self.should_stop: Callable[[], bool] = _never
        # Puts an archive into the store once more, whose vectors were lost: only its own file has all that is embedded.
        self.put_again: Callable[[int], Awaitable[object]] = _cannot

    async def model(self) -> Embedder:
        """The model, loaded.

        Raises ModelError and its kinds, UsageError for a name that is none; ModelChanged where the vectors of the store
        are another model's, so that nothing is ever mixed.
        """
        async with self._opening:
            if self._model is None:
                threads = self._settings.threads or min(os.cpu_count() or 1, _MOST_THREADS)
                model = await asyncio.to_thread(open_embedder, self._settings.model, self._layout.models, threads)
                known = self._store.meta.model
                if known not in ("", model.identity.key):
                    model.close()
                    raise ModelChanged(self._settings.model, known)
                self._model = model
            return self._model

    async def model_key(self) -> str:
        """Which model makes the vectors."""
        return (await self.model()).identity.key

    async def vectors(self) -> VectorFile:
        """The vectors of the model. Caches that refer to vectors which were lost are made again when they are used."""
        model = await self.model()
        async with self._opening:
            if self._vectors is None:
                file = await asyncio.to_thread(VectorFile.open, self._layout.vectors, model.identity, model.dimension)
                # Before anything is added: rows that were lost would be given to other texts.
                self._episode_cache = await asyncio.to_thread(
                    _cache_within, self._folder("episodes"), self._store.meta.epoch, self._episode_cache, len(file)
                )
                self._entity_cache = await asyncio.to_thread(
                    _cache_within, self._folder("entities"), self._store.meta.entities, self._entity_cache, len(file)
                )
                self._vectors = file
            return self._vectors

    async def embedded(self, texts: Sequence[str]) -> Embedded:
        """Each text has a vector, on the disk, unless it has no direction.

        Raises ModelError, WriteFailed; EmbeddingStopped where `should_stop` said so, and what was done is kept.
        """
        model, vectors = await self.model(), await self.vectors()
        digests = [digest(text) for text in texts]
        rows = await asyncio.to_thread(vectors.rows, digests)
        missing = {digests[place]: texts[place] for place in np.flatnonzero(rows < 0).tolist()}
        if not missing:
            return Embedded(tuple(digests), 0)
        left = threading.Event()
        async with self._embedding:  # one at a time writes vectors, and is done before they are closed
            work = asyncio.to_thread(
                _embed_missing, model, vectors, missing, lambda: left.is_set() or self.should_stop()
            )
            await finished(work, hurry=left.set)
        return Embedded(tuple(digests), len(missing))

    async def query_vector(self, text: str) -> NDArray[np.float32] | None:
        """The direction of a question, float32 (d,); None where the model finds none in it."""
        model = await self.model()
        try:
            return await asyncio.to_thread(model.embed_query, embedded_query(text))
        except TextsNotEmbedded:
            return None

    async def added(self, archive: ArchiveRecord, episodes: Sequence[EpisodeRecord], before: int) -> None:
        """The episodes of an archive, which have just been put into the store, are found.

        before: the store's epoch until then; a cache of another one has missed something, and is made again.
        """
        async with self._caching:
            cache = await self._opened_episode_cache()
            if not cache.stale and cache.epoch != before:
                cache.stale = "the store went on without it"
            if cache.stale:
                return  # made again at the next search
            vectors = await self.vectors()
            passages = await asyncio.to_thread(_passages, episodes, vectors)
            if passages:
                await asyncio.to_thread(cache.put, passages, epoch=self._store.meta.epoch)
            else:
                await asyncio.to_thread(cache.remove, [archive.number], epoch=self._store.meta.epoch)

    async def episode_cache(self) -> SearchCache:
        """The cache of all episodes, current."""
        vectors = await self.vectors()
        cache = await self._opened_episode_cache()
        if cache.stale:
            for number in (await self._every_passage(vectors))[1]:
                with contextlib.suppress(LayoutError):  # found by its words alone
                    await self.put_again(number)
            async with self._caching:
                epoch = self._store.meta.epoch  # of before the reading: what is added meanwhile waits, and is put then
                batches, _ = await self._every_passage(vectors)
                await asyncio.to_thread(cache.rebuild, epoch, batches)
        return cache

    async def _every_passage(self, vectors: VectorFile) -> tuple[list[list[Passage]], list[int]]:
        """The passages of every archive, and the numbers of the archives of which vectors are missing."""
        batches: list[list[Passage]] = []
        lost: list[int] = []
        async for archive, episodes in self.episodes.every_archives_episodes():
            batches.append(await asyncio.to_thread(_passages, episodes, vectors))
            if any(passage.row == NO_ROW for passage in batches[-1]):
                lost.append(archive.number)
        return batches, lost

    async def entity_cache(self, *, vectors: bool = True) -> SearchCache:
        """The cache of all entities, current; each with a vector, where `vectors` are wanted."""
        if vectors:
            await self.vectors()
        async with self._opening:
            if self._entity_cache is None:
                self._entity_cache = await asyncio.to_thread(
                    SearchCache, self._folder("entities"), self._store.meta.entities
                )
        async with self._caching:
            return await self._current_entities(self._entity_cache, vectors=vectors)

    async def _current_entities(self, cache: SearchCache, *, vectors: bool) -> SearchCache:
        if cache.stale and not vectors:
            passages = [_entity_passage(line, NO_ROW) for line in await self._knowledge.lines()]
            await asyncio.to_thread(cache.rebuild, self._store.meta.entities, [passages])
        if not vectors:
            return cache
        if cache.stale:
            await self._put_entities(cache, await self._knowledge.lines(), whole=True)
            return cache
        view = cache.view
        without = view.owner[(view.row == NO_ROW) & view.alive]
        if len(without):
            await self._put_entities(cache, await self._knowledge.lines([int(number) for number in without]))
        return cache

    async def entities_changed(self, keys: Sequence[str], before: int) -> None:
        """The cache of entities follows a change in the store, where it was current. before: the mark until then."""
        folder = self._folder("entities")
        if self._entity_cache is None and not folder.exists():
            return
        async with self._opening:
            if self._entity_cache is None:
                self._entity_cache = await asyncio.to_thread(SearchCache, folder, before)
            cache = self._entity_cache
        async with self._caching:
            if not cache.stale and cache.epoch != before:
                cache.stale = "the store went on without it"
            if not cache.stale:
                lines = await self._knowledge.lines_of(keys)
                passages = [_entity_passage(line, NO_ROW) for line in lines]
                await asyncio.to_thread(cache.put, passages, epoch=self._store.meta.entities)

    async def close(self) -> None:
        """Vectors and model are closed, after whoever still writes vectors."""
        async with self._embedding:
            await finished(self._close())

    async def _close(self) -> None:
        if self._vectors is not None:
            await asyncio.to_thread(self._vectors.close)
        if self._model is not None:
            self._model.close()
        self._vectors = self._model = self._episode_cache = self._entity_cache = None

    async def _put_entities(self, cache: SearchCache, lines: Sequence[EntityLine], *, whole: bool = False) -> None:
        vectors = await self.vectors()
        if not self._store.meta.model:  # from now on the vectors that caches refer to are this model's
            await self.episodes.set_model(await self.model_key())
        found = await self.embedded([line.text for line in lines])
        rows = await asyncio.to_thread(vectors.rows, found.digests)
        passages = [_entity_passage(line, int(row)) for line, row in zip(lines, rows, strict=True)]
        if whole:
            await asyncio.to_thread(cache.rebuild, self._store.meta.entities, [passages])
        else:
            await asyncio.to_thread(cache.put, passages)

    async def _opened_episode_cache(self) -> SearchCache:
        async with self._opening:
            if self._episode_cache is None:
                self._episode_cache = await asyncio.to_thread(
                    SearchCache, self._folder("episodes"), self._store.meta.epoch
                )
            return self._episode_cache

    def _folder(self, name: str) -> Path:
        return self._layout.vectors / f"search-{name}"


def _never() -> bool:
    return False


async def _cannot(number: int) -> None:
    pass


def _cache_within(folder: Path, epoch: int, opened: SearchCache | None, rows: int) -> SearchCache:
    """The cache in `folder`, as opened already, if it is; stale where it refers to vectors past so many rows."""
    cache = opened or SearchCache(folder, epoch)
    if cache.stale or not len(cache.view) or int(cache.view.row.max()) < rows:
        return cache
    (folder / COMMIT).unlink(missing_ok=True)
    return SearchCache(folder, epoch)


def _embed_missing(
    model: Embedder, vectors: VectorFile, missing: dict[bytes, str], should_stop: Callable[[], bool]
) -> None:
    digests, texts = list(missing), list(missing.values())
    since_flush = 0
    try:
        for batch in model.batches(texts, should_stop=should_stop):
            vectors.add([digests[place] for place in batch.places], batch.vectors)
            since_flush += len(batch.places)
            if since_flush >= _FLUSH_TEXTS:
                vectors.flush()
                since_flush = 0
    finally:
        vectors.flush()


def _passages(episodes: Sequence[EpisodeRecord], vectors: VectorFile) -> list[Passage]:
    rows = iter(vectors.rows([key for episode in episodes for key in episode.digests]))
    return [passage for episode in episodes for passage in _episode_passages(episode, rows)]


def _episode_passages(episode: EpisodeRecord, rows: Iterator[np.int64]) -> Iterator[Passage]:
    parts = {part.span.turn: part for part in episode.parts}
    for place, span in enumerate(episode.windows):
        part = parts[span.turn]
        yield Passage(
            owner=episode.key[0],
            chunk=episode.key[1],
            window=place,
            text=episode.text_of(span),
            row=int(next(rows)),
            turn=span.turn,
            provenance=part.provenance,
            time=int(part.time.timestamp()) if part.time else None,
            project=episode.project,
        )


def _entity_passage(line: EntityLine, row: int) -> Passage:
    return Passage(owner=line.number, chunk=0, window=0, text=line.text, row=row, project=line.project)
