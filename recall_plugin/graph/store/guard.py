"""A store that once took its process down is tried in another process first.

The engine answers most damage with an error, but some files make it abort, or wait for ever. Nothing in a process can
catch that; so a mark stands beside the store while it is being opened, and where one is found, the last opening ended
badly.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from recall_plugin.errors import StoreDamaged

_TRIAL = "import asyncio, sys; from recall_plugin.graph.store.engine import Engine; from pathlib import Path; \
asyncio.run(Engine.tried(Path(sys.argv[1])))"
_TRIAL_SECONDS = 30.0


@contextlib.asynccontextmanager
async def guarded(path: Path) -> AsyncIterator[None]:
    """The store at `path` is opened inside; afterwards it is known whether that went well.

    Raises StoreDamaged for a store that holds what no store does (a pipe, a device), and for one that did not survive
    being opened in a process of its own.
    """
    await asyncio.to_thread(_only_files, path)
    mark = path.with_name(f"{path.name}.opening")
    if mark.exists():
        await _try(path)
    with contextlib.suppress(OSError):  # on a full disk it is opened unguarded
        mark.touch(0o600)
    try:
        yield
    finally:  # an error is no abort
        mark.unlink(missing_ok=True)


def _only_files(path: Path) -> None:
    """A pipe in the place of a file would be waited for."""
    for folder, _, names in os.walk(path):
        for name in names:
            file = Path(folder) / name
            with contextlib.suppress(FileNotFoundError):
                if not stat.S_ISREG(file.lstat().st_mode):
                    raise StoreDamaged(path, f"{file.relative_to(path)} is not a regular file")


async def _try(path: Path) -> None:
    trial = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _TRIAL, str(path), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        status = await asyncio.wait_for(trial.wait(), _TRIAL_SECONDS)
    except TimeoutError:
        trial.kill()
        await trial.wait()
        raise StoreDamaged(path, f"it did not open within {_TRIAL_SECONDS:.0f} s") from None
    if status < 0:
        raise StoreDamaged(path, "the engine aborts when it opens it")
