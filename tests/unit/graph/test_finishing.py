"""What must not be torn ends, whoever stops waiting for it."""

from __future__ import annotations

import asyncio

import pytest

from recall_plugin.graph.finishing import finished


def test_cancelled_work_ends_before_the_cancellation_goes_on() -> None:
    done: list[str] = []

    async def work() -> None:
        await asyncio.sleep(0.05)
        done.append("work")

    async def caller() -> None:
        try:
            await finished(work(), hurry=lambda: done.append("hurry"))
        finally:
            done.append("caller")

    async def main() -> None:
        task = asyncio.create_task(caller())
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0.01)
        task.cancel()  # once more, while it waits
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert done == ["hurry", "work", "caller"]


def test_what_it_comes_to_and_what_it_raises_are_passed_on() -> None:
    async def gives() -> int:
        return 3

    async def raises() -> None:
        raise OSError("no")

    assert asyncio.run(finished(gives())) == 3
    with pytest.raises(OSError, match="no"):
        asyncio.run(finished(raises()))
