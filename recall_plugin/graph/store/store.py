"""The store: what the journal's events come to, in tables."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surrealdb import RecordID

from recall_plugin.domain.journal.account import Account
from recall_plugin.domain.journal.events import PolicySet
from recall_plugin.domain.journal.fold import Ledger, Touched
from recall_plugin.errors import StoreDamaged, StoreError, StoreNewer
from recall_plugin.graph.store import rows
from recall_plugin.graph.store.engine import Engine
from recall_plugin.graph.store.schema import SCHEMA, SCHEMA_VERSION, TABLES

_PAGE = 500

META = RecordID("meta", "graph")
_SAVE = """
INSERT INTO entity $new_entities RETURN NONE;
FOR $row IN $entities { UPDATE $row.id CONTENT $row RETURN NONE };
INSERT RELATION INTO relates_to $new_relations RETURN NONE;
FOR $row IN $relations { UPDATE $row.id MERGE $row.fields RETURN NONE };
INSERT INTO tally $new_tallies RETURN NONE;
FOR $row IN $tallies { UPDATE $row.id CONTENT $row RETURN NONE };
INSERT INTO observation $observations RETURN NONE;
FOR $row IN $accesses { UPSERT $row.id CONTENT $row RETURN NONE };
FOR $row IN $asides { UPSERT $row.id CONTENT $row RETURN NONE };
UPDATE $meta SET applied = $applied, last = $last, account = $account, entities = $entities_mark RETURN NONE;
"""


@dataclass(frozen=True, slots=True)
class Aside:
    """An event that could not be applied, and why."""

    number: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Meta:
    """applied: the number of the last event whose effects are in the store; last: its digest.

    epoch: another with other episodes. entities: another with other texts of entities. model: the key of the model that
    the vectors are of; empty: none.
    """

    version: int
    applied: int
    last: str
    epoch: int
    entities: int
    policy: PolicySet
    account: Account
    model: str


class Store:
    """One open store. Every method that changes something does so in one transaction, wholly or not at all."""

    def __init__(self, engine: Engine, path: Path, meta: Meta) -> None:
        self.engine = engine
        self.path = path
        self.meta = meta

    @classmethod
    async def open(cls, path: Path, policy: PolicySet | None = None) -> Store:
        """The store at `path`, made where there was none, to be filled under `policy` (None: the usual weights).

        Of one of an older program only `meta.version` is read, and it is to be used for nothing. Raises StoreDamaged,
        StoreNewer, and as `Engine.open`.
        """
        engine = await Engine.open(path)
        try:
            return cls(engine, path, await _meta_of(engine, path, policy or PolicySet()))
        except BaseException:
            await engine.close()
            raise

    async def close(self) -> None:
        """The store is closed."""
        await self.engine.close()

    async def load(self, touched: Touched) -> Ledger:
        """A ledger that holds what the events touch, as far as it exists."""
        ledger = Ledger(self.meta.policy, self.meta.account)
        answers = await self.engine.query(
            "SELECT * FROM $entities; SELECT * FROM $tallies; SELECT * FROM $accesses;",
            {
                "entities": [rows.entity_id(key) for key in touched.entities],
                "tallies": [rows.tally_id(key) for key in touched.tallies],
                "accesses": [rows.episode_id(key, "access") for key in touched.episodes],
            },
        )
        entities, tallies, accesses = answers
        relations = await self.engine.rows(
            f"SELECT {rows.RELATION_COLUMNS} FROM $ids", {"ids": [rows.relation_id(key) for key in touched.relations]}
        )
        ledger.entities = {entity.key: entity for entity in map(rows.entity_of, entities)}
        ledger.relations = {relation.key: relation for relation in map(rows.relation_of, relations)}
        owners = {rows.tally_id(key).id: key.relation for key in touched.tallies}
        found = (rows.tally_of(row, owners[row["id"].id]) for row in tallies)
        ledger.tallies = {tally.key: tally for tally in found}
        ledger.episodes = dict(map(rows.access_of, accesses))
        return ledger

    async def save(
        self, ledger: Ledger, before: Ledger, applied: int, asides: Sequence[Aside] = (), last: str = ""
    ) -> None:
        """What changed in the ledger since `before` was loaded stands in the store, and so does `applied`, together.

        last: the digest of the event of that number.
        """
        changed = ledger.changed
        entities = [rows.entity_row(ledger.entities[key]) for key in changed.entities]
        relations = [rows.relation_row(ledger.relations[key]) for key in changed.relations]
        tallies = [rows.tally_row(ledger.tallies[key]) for key in changed.tallies]
        known_entities = {rows.entity_id(key).id for key in before.entities}
        known_relations = {key.id for key in before.relations}
        known_tallies = {rows.tally_id(key).id for key in before.tallies}
        mark = new_mark() if told_anew(ledger, before) else self.meta.entities
        await self.engine.write(
            _SAVE,
            {
                "new_entities": [row for row in entities if row["id"].id not in known_entities],
                "entities": [row for row in entities if row["id"].id in known_entities],
                "new_relations": [row for row in relations if row["id"].id not in known_relations],
                "relations": [
                    {"id": row["id"], "fields": {k: v for k, v in row.items() if k not in {"id", "in", "out"}}}
                    for row in relations
                    if row["id"].id in known_relations
                ],
                "new_tallies": [row for row in tallies if row["id"].id not in known_tallies],
                "tallies": [row for row in tallies if row["id"].id in known_tallies],
                "observations": [rows.observation_row(claim) for claim in ledger.claims],
                "accesses": [rows.access_row(key, ledger.episodes[key]) for key in changed.episodes],
                "asides": [
                    {"id": RecordID("aside", one.number), "kind": one.kind, "reason": one.reason} for one in asides
                ],
                "meta": META,
                "applied": applied,
                "last": last,
                "entities_mark": mark,
                "account": ledger.account.to_plain(),
            },
        )
        self.meta = replace(self.meta, applied=applied, last=last, account=ledger.account, entities=mark)

    async def fill(self, ledger: Ledger, applied: int, asides: Sequence[Aside] = (), last: str = "") -> None:
        """An empty store holds the whole of the ledger. In many transactions: for a store that nobody uses yet."""
        for statement, table_rows in (
            ("INSERT INTO entity $rows RETURN NONE;", map(rows.entity_row, ledger.entities.values())),
            ("INSERT RELATION INTO relates_to $rows RETURN NONE;", map(rows.relation_row, ledger.relations.values())),
            ("INSERT INTO tally $rows RETURN NONE;", map(rows.tally_row, ledger.tallies.values())),
            ("INSERT INTO observation $rows RETURN NONE;", map(rows.observation_row, ledger.claims)),
            (
                "INSERT INTO access $rows RETURN NONE;",
                (rows.access_row(key, accesses) for key, accesses in ledger.episodes.items()),
            ),
        ):
            await self._insert(statement, table_rows)
        await self.save(Ledger(ledger.policy, ledger.account), Ledger(), applied, asides, last)

    async def _insert(self, statement: str, table_rows: Iterator[dict[str, Any]]) -> None:
        async def work() -> None:
            while page := list(itertools.islice(table_rows, _PAGE)):
                await self.engine.query(statement, {"rows": page})

        # While the engine works on one page, the next one is encoded, which takes as long.
        for failure in await asyncio.gather(work(), work(), return_exceptions=True):
            if failure is not None:
                raise failure

    async def asides(self) -> list[Aside]:
        """The events that could not be applied."""
        [found] = await self.engine.query("SELECT * FROM aside ORDER BY id")
        return [Aside(int(row["id"].id), row["kind"], row["reason"]) for row in found]

    async def counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        answers = await self.engine.query(" ".join(f"SELECT count() FROM {table} GROUP ALL;" for table in TABLES))
        return {table: answer[0]["count"] if answer else 0 for table, answer in zip(TABLES, answers, strict=True)}


def new_mark() -> int:
    """A mark that no state of any store had before: after a loss, counting on would come by the marks of what was lost,
    and caches made then would be taken for current ones.
    """
    return secrets.randbits(48)


def told_anew(ledger: Ledger, before: Ledger) -> list[str]:
    """The keys of the entities that are found by another text than before."""
    return [key for key in ledger.changed.entities if _found_by(ledger, key) != _found_by(before, key)]


def _found_by(ledger: Ledger, key: str) -> tuple[object, ...]:
    entity = ledger.entities.get(key)
    return (entity.name, entity.aliases, entity.abstract, entity.project) if entity else ()


async def _meta_of(engine: Engine, path: Path, policy: PolicySet) -> Meta:
    try:
        [info] = await engine.query("INFO FOR DB")
        if not info["tables"]:
            await engine.write(
                SCHEMA + "CREATE $meta CONTENT $row RETURN NONE;", {"meta": META, "row": _first_meta(policy)}
            )
        if info["tables"] and "meta" not in info["tables"]:
            raise StoreDamaged(path, "it is no store of recall's")
        [found] = await engine.query("SELECT * FROM $meta", {"meta": META})
    except StoreError as error:
        raise error if isinstance(error, StoreDamaged) else StoreDamaged(path, error.reason) from error
    if not found:
        raise StoreDamaged(path, "it does not say which version it is")
    row = found[0]
    version = row.get("version")
    if not isinstance(version, int):
        raise StoreDamaged(path, f"it says that its version is {version!r}")
    if version > SCHEMA_VERSION:
        raise StoreNewer(path, f"version {version} is newer than this program, which knows {SCHEMA_VERSION}")
    if version < SCHEMA_VERSION:  # the rest may be of another form
        return Meta(version, 0, "", 0, 0, PolicySet(), Account(), "")
    try:
        policy, account = rows.policy_of(row["policy"]), Account.of_plain(row["account"])
        return Meta(version, row["applied"], row["last"], row["epoch"], row["entities"], policy, account, row["model"])
    except (KeyError, TypeError, ValueError) as error:
        raise StoreDamaged(path, f"its account cannot be read: {error}") from error


def _first_meta(policy: PolicySet) -> dict[str, Any]:
    return {
        "version": SCHEMA_VERSION,
        "applied": 0,
        "last": "",
        "epoch": new_mark(),
        "entities": new_mark(),
        "policy": rows.policy_object(policy),
        "account": Account().to_plain(),
        "model": "",
    }
