"""The archives that were ingested, and their episodes."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from surrealdb import RecordID

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Role
from recall_plugin.domain.episodes.values import Span
from recall_plugin.domain.journal.fold import Episode
from recall_plugin.domain.knowledge.entity import Accesses
from recall_plugin.graph.store import rows
from recall_plugin.graph.store.store import META, Store, new_mark

# Decoding a long answer holds the loop up, so that long ones come in pages of this many rows.
_PAGE = 500
# What stands between two parts in an episode's text.
BETWEEN_PARTS = "\n\n"

_REPLACE_ARCHIVE = """
DELETE $gone RETURN NONE;
INSERT INTO episode $episodes RETURN NONE;
UPSERT $archive.id CONTENT $archive RETURN NONE;
UPDATE $meta SET epoch = $epoch, model = $model RETURN NONE;
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a turn in an episode: where it stands, whose turn it is, of which class, and when it was said."""

    span: Span
    role: Role
    provenance: Provenance
    time: datetime | None


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """An episode as the store keeps it. windows: where each embedded window stands; digests: of what was embedded."""

    key: Episode
    text: str
    parts: tuple[Part, ...]
    windows: tuple[Span, ...]
    digests: tuple[bytes, ...]
    provenance: Provenance
    time: datetime | None
    project: str
    session: str

    def part_of(self, span: Span) -> tuple[Part, str]:
        """The part that `span`, which lies in one, lies in, and that part's text. Raises ValueError for another."""
        at = 0
        for part in self.parts:
            length = part.span.end - part.span.start
            if part.span.turn == span.turn and part.span.start <= span.start and span.end <= part.span.end:
                return part, self.text[at : at + length]
            at += length + len(BETWEEN_PARTS)
        raise ValueError(f"{span} lies in no part of episode {self.key}")

    def text_of(self, span: Span) -> str:
        """The words that `span`, which lies in one of the parts, stands for. Raises ValueError for another."""
        part, text = self.part_of(span)
        return text[span.start - part.span.start : span.end - part.span.start]


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """An archive that was ingested. content: hexadecimal digits of the SHA-256 of its file."""

    number: int
    content: str
    chunker: int
    model: str
    episodes: int
    windows: int


class Episodes:
    """The episodes of one open store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def epoch(self) -> int:
        """The mark of the episodes as they are now."""
        return self._store.meta.epoch

    async def archive(self, number: int) -> ArchiveRecord | None:
        """What is known of an ingested archive, None where it is not."""
        [found] = await self._store.engine.query("SELECT * FROM $id", {"id": RecordID("archive", number)})
        return _archive_of(found[0]) if found else None

    async def archives(self) -> list[ArchiveRecord]:
        """Every ingested archive, by number."""
        [found] = await self._store.engine.query("SELECT * FROM archive ORDER BY id")
        return sorted(map(_archive_of, found), key=lambda one: one.number)

    async def numbers(self) -> list[int]:
        """The numbers of the ingested archives, ascending."""
        [found] = await self._store.engine.query("SELECT VALUE record::id(id) FROM archive")
        return sorted(map(int, found))

    async def replace_archive(self, archive: ArchiveRecord, episodes: Sequence[EpisodeRecord]) -> None:
        """The archive's episodes are exactly these, whatever they were before."""
        known = await self.archive(archive.number)
        epoch = new_mark()
        gone = [rows.episode_id((archive.number, index)) for index in range(known.episodes if known else 0)]
        await self._store.engine.write(
            _REPLACE_ARCHIVE,
            {
                "gone": gone,
                "episodes": [_episode_row(episode) for episode in episodes],
                "archive": {
                    "id": RecordID("archive", archive.number),
                    "content": archive.content,
                    "chunker": archive.chunker,
                    "model": archive.model,
                    "episodes": archive.episodes,
                    "windows": archive.windows,
                },
                "meta": META,
                "epoch": epoch,
                "model": archive.model,
            },
        )
        self._store.meta = replace(self._store.meta, epoch=epoch, model=archive.model)

    async def wrote(self, archive: int, paths: Collection[str]) -> None:
        """It is known that the agent wrote these resources in an archived session, and in which first."""
        statement = "FOR $row IN $rows { UPSERT $row.id SET first = math::min([first ?? $row.first, $row.first]) };"
        written = [{"id": _written_id(path), "first": archive} for path in dict.fromkeys(paths)]
        if written:
            await self._store.engine.write(statement, {"rows": written})

    async def written(self, archive: int, paths: Collection[str]) -> frozenset[str]:
        """Of these resources, those that the agent wrote in this archive or an earlier one."""
        records = {path: _written_id(path) for path in paths}
        [found] = await self._store.engine.query("SELECT * FROM $ids", {"ids": list(records.values())})
        known = {str(row["id"].id) for row in found if row["first"] <= archive}
        return frozenset(path for path, record in records.items() if str(record.id) in known)

    async def episodes(self, keys: Collection[Episode]) -> dict[Episode, EpisodeRecord]:
        """The episodes of these keys, as far as they exist."""
        [found] = await self._store.engine.query(
            "SELECT * FROM $ids", {"ids": [rows.episode_id(key) for key in dict.fromkeys(keys)]}
        )
        return {episode.key: episode for episode in map(_episode_of, found)}

    async def every_archives_episodes(self) -> AsyncIterator[tuple[ArchiveRecord, list[EpisodeRecord]]]:
        """Every ingested archive with its episodes in order, one archive at a time."""
        for archive in await self.archives():
            keys = [(archive.number, index) for index in range(archive.episodes)]
            found: dict[Episode, EpisodeRecord] = {}
            for start in range(0, len(keys), _PAGE):
                found |= await self.episodes(keys[start : start + _PAGE])
            yield archive, [found[key] for key in keys if key in found]

    async def set_model(self, model: str) -> None:
        """The vectors are of this model from now on."""
        epoch = new_mark()
        await self._store.engine.write(
            "UPDATE $meta SET model = $model, epoch = $epoch RETURN NONE;",
            {"meta": META, "model": model, "epoch": epoch},
        )
        self._store.meta = replace(self._store.meta, epoch=epoch, model=model)

    async def accesses(self, keys: Iterable[Episode]) -> dict[Episode, Accesses]:
        """How often these episodes were recalled; those that never were are left out."""
        [found] = await self._store.engine.query(
            "SELECT * FROM $ids", {"ids": [rows.episode_id(key, "access") for key in keys]}
        )
        return dict(map(rows.access_of, found))


def _written_id(path: str) -> RecordID:
    return RecordID("written", hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:24])


def _archive_of(row: Mapping[str, Any]) -> ArchiveRecord:
    return ArchiveRecord(
        int(row["id"].id), row["content"], row["chunker"], row["model"], row["episodes"], row["windows"]
    )


def _episode_row(episode: EpisodeRecord) -> dict[str, Any]:
    return {
        "id": rows.episode_id(episode.key),
        "archive": episode.key[0],
        "index": episode.key[1],
        "text": episode.text,
        "spans": [[part.span.turn, part.span.start, part.span.end] for part in episode.parts],
        "roles": [part.role.value for part in episode.parts],
        "classes": [part.provenance.value for part in episode.parts],
        "times": [part.time for part in episode.parts],
        "windows": [[span.turn, span.start, span.end] for span in episode.windows],
        "digests": b"".join(episode.digests),
        "class": episode.provenance.value,
        "time": episode.time,
        "project": episode.project,
        "session": episode.session,
    }


def _episode_of(row: Mapping[str, Any]) -> EpisodeRecord:
    digests = bytes(row["digests"])
    width = len(digests) // len(row["windows"]) if row["windows"] else 1
    return EpisodeRecord(
        key=(row["archive"], row["index"]),
        text=row["text"],
        parts=tuple(
            Part(Span(*span), Role(role), Provenance.of(provenance), rows.instant_or_none(time))
            for span, role, provenance, time in zip(
                row["spans"], row["roles"], row["classes"], row["times"], strict=True
            )
        ),
        windows=tuple(Span(*span) for span in row["windows"]),
        digests=tuple(digests[start : start + width] for start in range(0, len(digests), width)),
        provenance=Provenance.of(row["class"]),
        time=rows.instant_or_none(row.get("time")),
        project=row["project"],
        session=row["session"],
    )
