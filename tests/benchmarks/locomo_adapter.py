"""The retrieval engine behind the interface that retrieval benchmarks ask for: documents in, ranked documents out.

`Product(folder)`, `ingest(documents)`, `search(query, k, namespace)`, `close()`. A document has an `id`, a `text` and
an `ns`; documents of one session have ids that differ behind a colon only and come in order. Chunker, embedding,
vector file and search are the product's own; each session is an archive, each namespace a set of archives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Protocol

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Role, Turn
from recall_plugin.domain.episodes.chunking import chunk
from recall_plugin.graph.embedding.embedder import open_embedder
from recall_plugin.graph.retrieval.cache import SearchCache
from recall_plugin.graph.retrieval.passages import Passage
from recall_plugin.graph.retrieval.questions import embedded_query
from recall_plugin.graph.retrieval.search import Filter, scored
from recall_plugin.graph.vectors import VectorFile, digest

MODEL = "minilm-int8"


class Document(Protocol):
    """One turn of a conversation."""

    id: str
    text: str
    ns: str


class Product:
    """An index below a folder."""

    def __init__(self, path: str) -> None:
        folder = Path(path)
        self._embedder = open_embedder(MODEL, folder / "models", threads=2)
        self._vectors = VectorFile.open(folder / "vectors", self._embedder.identity, self._embedder.dimension)
        self._cache = SearchCache(folder / "index", 1)
        self._archives: dict[str, set[int]] = defaultdict(set)
        self._names: dict[tuple[int, int], str] = {}

    def ingest(self, docs: Sequence[Document]) -> None:
        """Exactly these documents are found from now on."""
        found = [
            window for archive, members in enumerate(_sessions(docs), 1) for window in self._windows(archive, members)
        ]
        embedded = [text for text, _ in found]
        rows = self._vectors.add([digest(text) for text in embedded], self._embedder.embed(embedded))
        passages = [replace(passage, row=int(row)) for (_, passage), row in zip(found, rows, strict=True)]
        self._cache.rebuild(1, [passages])

    def _windows(self, archive: int, members: Sequence[Document]) -> Iterator[tuple[str, Passage]]:
        """What is embedded, and the passage that it stands for."""
        self._archives[members[0].ns].add(archive)
        self._names.update({(archive, number): doc.id for number, doc in enumerate(members, 1)})
        turns = [Turn(doc.id, Role.USER, doc.text) for doc in members]
        episodes = chunk(turns, lambda turn: Provenance.USER, lambda text: ())
        placed = ((episode, window) for episode in episodes for window in episode.windows)
        for place, (episode, window) in enumerate(placed):
            span = window.span
            own = turns[span.turn - 1].text[span.start : span.end]
            yield window.text, Passage(archive, episode.index, place, own, turn=span.turn, provenance=Provenance.USER)

    def search(self, query: str, k: int, ns: str) -> list[str]:
        """The ids of the `k` best documents of a namespace, best first."""
        vector = self._embedder.embed_query(embedded_query(query))
        result = scored(self._cache.view, self._vectors.matrix, query, vector, Filter(owners=self._archives[ns]))
        # A long turn has several windows; its best counts.
        names = [self._names[hit.owner, hit.turn] for hit in result.hits(4 * k)]
        return list(dict.fromkeys(names))[:k]

    def close(self) -> None:
        """Everything is on the disk."""
        self._vectors.close()
        self._embedder.close()


def _sessions(docs: Sequence[Document]) -> Iterator[list[Document]]:
    for _, members in groupby(docs, lambda doc: (doc.ns, doc.id.partition(":")[0])):
        yield list(members)
