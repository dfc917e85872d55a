"""The embedded engine, opened and closed visibly; the only place that talks to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recall_plugin.errors import StoreDamaged, StoreError, WriteFailed

# Without a moment between the last query and the end of the process, the engine can abort at exit.
_SETTLE_SECONDS = 0.05
_DISK_FULL = ("no space left", "os error 28", "disk quota", "os error 122", "file too large", "os error 27")


class Engine:
    """One open database. Every value is bound; no statement is put together from what anybody said."""

    def __init__(self, database: Any, path: Path) -> None:
        self._database = database
        self._path = path
        self._writing = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path) -> Engine:
        """The database at `path`, made where there was none. Raises StoreDamaged for one that does not open."""
        from surrealdb import AsyncSurreal  # noqa: PLC0415 (0.35 s, for those who need it)

        database: Any = AsyncSurreal(f"surrealkv://{path}")
        try:
            await database.connect()
            await database.use("recall", "graph")
        except Exception as error:  # the engine's errors have no common class
            with contextlib.suppress(Exception):
                await database.close()
            raise StoreDamaged(path, _reason(error)) from error
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

    async def write(self, statements: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """As `query`, all statements in one transaction, one such at a time. Raises as `query`, and nothing changed."""
        async with self._writing:
            return await self.query(f"BEGIN;\n{statements}\nCOMMIT;", values)

    def _error(self, reason: str) -> Exception:
        lowered = reason.lower()
        if any(sign in lowered for sign in _DISK_FULL):
            return WriteFailed(
                self._path,
                f"the disk is full ({reason})",
                hint="free some space and run the command again; nothing was half written",
            )
        if "corrupt" in lowered or "checksum" in lowered:
            return StoreDamaged(self._path, reason)
        return StoreError(self._path, reason)


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
