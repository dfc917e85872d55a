"""The embedded engine, opened and closed visibly; the only place that talks to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recall_plugin.errors import LayoutError, RecallError, StoreDamaged, StoreError, StoreHeld, WriteFailed
from recall_plugin.graph.store.guard import guarded

# Without a moment between the last query and the end of the process, the engine can abort at exit.
_SETTLE_SECONDS = 0.05
# What the engine says of a disk, by the number that the system gives it.
_NO_ROOM = {"(os error 28)": "the disk is full", "(os error 122)": "the quota is used up"}
_TOO_LARGE = "(os error 27)"
_REFUSED = ("(os error 1)", "(os error 13)", "(os error 30)")


class Engine:
    """One open database. Every value is bound; no statement is put together from what anybody said."""

    def __init__(self, database: Any, path: Path) -> None:
        self._database = database
        self._path = path
        self._writing = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path) -> Engine:
        """The database at `path`, made where there was none.

        Raises StoreDamaged for one that does not open, WriteFailed where the disk is why, LayoutError for a path that
        the engine cannot be told.
        """
        async with guarded(path):
            return await cls._open(path)

    @classmethod
    async def tried(cls, path: Path) -> None:
        """The database at `path` has been opened, asked and closed: what of it takes a process down has done so."""
        engine = await cls._open(path)
        await engine.query("INFO FOR DB")
        await engine.close()

    @classmethod
    async def _open(cls, path: Path) -> Engine:
        from surrealdb import AsyncSurreal  # noqa: PLC0415 (0.35 s, for those who need it)

        database: Any = None
        try:
            database = AsyncSurreal(_address(path))
            await database.connect()
            await database.use("recall", "graph")
        except RecallError:
            raise
        except Exception as error:  # the engine's errors have no common class
            if database is not None:
                with contextlib.suppress(Exception):
                    await database.close()
            reason = _reason(error)
            if "already locked" in reason.lower():
                raise StoreHeld(path.parent, 0.0, "another process, whose own lock was removed") from error
            raise _disk_error(path, reason) or StoreDamaged(path, reason) from error
        return cls(database, path)

    async def close(self) -> None:
        """The database is closed, and the engine had its moment to settle."""
        await self._database.close()
        await asyncio.sleep(_SETTLE_SECONDS)

    async def query(self, statements: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """What each of the statements answered. Raises StoreError, StoreDamaged, WriteFailed."""
        try:
            answer = await self._database.query_raw(statements, dict(values or {}))
        except Exception as error:  # the engine's errors have no common class
            raise self._error(_reason(error)) from error
        if "error" in answer:
            raise self._error(str(answer["error"]))
        results = answer["result"]
        # Inside a transaction every statement but one says only that another one failed.
        failures = [str(one["result"]) for one in results if one["status"] != "OK"]
        if failures:
            raise self._error(next((text for text in failures if "not executed" not in text), failures[0]))
        return [one["result"] for one in results]

    async def rows(self, select: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """What a SELECT answered, as plain JSON values: instants as ISO 8601 text. Raises as `query`.

        The driver decodes in Python, value by value; one long text of JSON takes a fifth of the time. Record ids are to
        be asked for by `record::id`, bytes not at all.
        """
        [answer] = await self.query(f"RETURN encoding::json::encode(({select}))", values)
        found: list[Any] = json.loads(answer)
        return found

    async def write(self, statements: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """As `query`, all statements in one transaction, one such at a time. Raises as `query`, and nothing changed."""
        async with self._writing:
            return await self.query(f"BEGIN;\n{statements}\nCOMMIT;", values)

    def _error(self, reason: str) -> RecallError:
        if error := _disk_error(self._path, reason):
            return error
        if "corrupt" in reason.lower() or "checksum" in reason.lower():
            return StoreDamaged(self._path, reason)
        return StoreError(self._path, reason)


def _address(path: Path) -> str:
    """How the engine is told of a path: as it is, but what follows a question mark it takes for options of its own."""
    hint = "name a pulse root whose path is plain UTF-8 text without a question mark"
    if "?" in str(path):
        raise LayoutError(path, "the store cannot stand where a question mark is in the path", hint=hint)
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise LayoutError(path, "the store cannot stand where the path is no UTF-8", hint=hint) from None
    return f"surrealkv://{path}"


def _disk_error(path: Path, reason: str) -> WriteFailed | None:
    """The error for what the disk, and not the store, is to blame for."""
    after = "and run the command again; nothing was half written"
    for sign, what in _NO_ROOM.items():
        if sign in reason:
            return WriteFailed(path, f"{what} ({reason})", hint=f"free some space {after}")
    if _TOO_LARGE in reason:
        return WriteFailed(path, f"files may not grow so large here ({reason})", hint=f"raise `ulimit -f` {after}")
    if any(sign in reason for sign in _REFUSED):
        return WriteFailed(path, reason, hint=f"make the folder and what is in it writable for you: {path}")
    return None


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
