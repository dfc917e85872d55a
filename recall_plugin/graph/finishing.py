"""Work that is not left half done because somebody stopped waiting for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


async def finished(work: Coroutine[Any, Any, _Result], *, hurry: Callable[[], object] = lambda: None) -> _Result:
    """What `work` comes to. Where the caller is cancelled, `hurry` is called, and the work ends before that goes on.

    For what must not be torn: a commit and the account of it, a thread that writes into files which are closed next.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        hurry()
        while not task.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # it is the cancellation that the caller learns of
        raise
