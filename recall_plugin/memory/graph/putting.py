"""The turns of an archive become episodes of the store."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Role, Turn
from recall_plugin.domain.episodes.chunking import CHUNKER_VERSION, chunk
from recall_plugin.domain.episodes.values import Chunk, Span
from recall_plugin.domain.fence import printed
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import LayoutError
from recall_plugin.files import conversations
from recall_plugin.files.archive_format import Head
from recall_plugin.files.atomic import open_regular
from recall_plugin.graph.finishing import finished
from recall_plugin.graph.store.episodes import ArchiveRecord, EpisodeRecord, Part
from recall_plugin.memory.graph.searching import Searcher
from recall_plugin.memory.graph.settings import GraphSettings


@dataclass(frozen=True, slots=True)
class Put:
    """An archive that was put into the store. embedded: windows that the model saw; the others' vectors were known."""

    archive: ArchiveRecord
    embedded: int


class Ingester:
    """Puts archives into the store of a searcher, one at a time."""

    def __init__(self, layout: Layout, settings: GraphSettings, searcher: Searcher) -> None:
        self._layout = layout
        self._settings = settings
        self._searcher = searcher
        self._episodes = searcher.episodes

    async def put(self, number: int) -> Put:
        """The archive's episodes are in the store, in place of what was there of it. Raises LayoutError, ModelError.

        Where it comes after later ones, those are put again if it tells that the agent wrote what they may quote, so
        that the order makes no difference.
        """
        async with self._searcher.putting:
            put, writes = await self._put(number)
            if writes:
                for later in await self._episodes.numbers():
                    if later > number:
                        with contextlib.suppress(LayoutError):  # it is as it was
                            await self._put(later)
        return put

    async def _put(self, number: int) -> tuple[Put, bool]:
        content, head, turns = await asyncio.to_thread(self._read, number)
        writes = [path for turn in turns for path in _writes(turn)]
        named = [path for turn in turns if turn.tool is not None for path in turn.tool.paths]
        # A file of the memory is recalled when it is read: it is no source of its own.
        recalled = {path for path in named if Path(path).is_relative_to(self._layout.memory)}
        written = await self._episodes.written(number, named) | recalled | frozenset(writes)
        chunks = await asyncio.to_thread(self._chunks, turns, written)
        vectors = await self._searcher.embedded([window.text for chunk in chunks for window in chunk.windows])
        episodes = _records(number, head, turns, chunks, vectors.digests, written)
        archive = ArchiveRecord(
            number, content, CHUNKER_VERSION, await self._searcher.model_key(), len(episodes), len(vectors.digests)
        )
        await finished(self._replace(archive, episodes, writes))
        return Put(archive, vectors.fresh), bool(writes)

    async def _replace(self, archive: ArchiveRecord, episodes: Sequence[EpisodeRecord], writes: Sequence[str]) -> None:
        before = self._episodes.epoch
        await self._episodes.replace_archive(archive, episodes)
        # Only now: an archive that was not finished says nothing about the others, as it will not after a rebuild.
        await self._episodes.wrote(archive.number, writes)
        await self._searcher.added(archive, episodes, before)

    def _read(self, number: int) -> tuple[str, Head, list[Turn]]:
        path = self._layout.conversation(number)
        content = _content(self._layout, number)
        with conversations.opened(path) as reader:
            return content, reader.head, list(reader.turns())

    def _chunks(self, turns: Sequence[Turn], written: frozenset[str]) -> list[Chunk]:
        key = self._settings.key.key

        def recalled(text: str) -> list[tuple[int, int]]:
            return [(block.start, block.end) for block in printed(text, key)]

        return list(chunk(turns, lambda turn: class_of(turn, written), recalled))


def class_of(turn: Turn, written: frozenset[str]) -> Provenance:
    """Who authored a turn. written: the resources that the agent itself wrote, whose content is its own voice.

    What no person typed, though it stands in the person's place, is the agent's.
    """
    if turn.role is Role.USER:
        return Provenance.SELF if turn.unattended else Provenance.USER
    if turn.tool is None or turn.tool.writes or any(path in written for path in turn.tool.paths):
        return Provenance.SELF
    return Provenance.EXTERNAL


def _writes(turn: Turn) -> tuple[str, ...]:
    return turn.tool.paths if turn.tool is not None and turn.tool.writes and not turn.tool.error else ()


def _content(layout: Layout, number: int) -> str:
    path = layout.conversation(number)
    file = open_regular(path)
    if file is None:
        raise LayoutError(path, "there is no such archive", hint="`recall status` shows where the archives are")
    sha = hashlib.sha256()
    with file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()[:32]


def _part(span: Span, turn: Turn, written: frozenset[str]) -> Part:
    return Part(span, turn.role, class_of(turn, written), turn.time)


def _records(
    number: int,
    head: Head,
    turns: Sequence[Turn],
    chunks: Sequence[Chunk],
    digests: Sequence[bytes],
    written: frozenset[str],
) -> list[EpisodeRecord]:
    records = []
    at = 0
    for one in chunks:
        own = tuple(digests[at : at + len(one.windows)])
        at += len(one.windows)
        records.append(
            EpisodeRecord(
                key=(number, one.index),
                text=one.text,
                parts=tuple(_part(span, turns[span.turn - 1], written) for span in one.spans),
                windows=tuple(window.span for window in one.windows),
                digests=own,
                provenance=one.provenance,
                time=one.time,
                project=head.project,
                session=head.session.id,
            )
        )
    return records
