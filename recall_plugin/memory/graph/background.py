"""Ingesting behind a synchronous host: a thread with its own loop, which has the store open only while it works."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from datetime import UTC, datetime

import structlog

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import RecallError

_log = structlog.wrap_logger(logging.getLogger("recall"), processors=[structlog.stdlib.render_to_log_kwargs])


_INTERRUPTED_SECONDS = 1.5


class BackgroundIngest:
    """Makes episodes of whatever archives wait, whenever it is woken. What goes wrong is logged, and tried again then.

    Interruption is safe: an archive that was not finished waits, and what was embedded of it is kept.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._work = threading.Condition()
        self._wanted = False
        self._ending = False
        self._interrupted = False
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Soon, in its thread, every archive that waits is ingested. Returns at once."""
        with self._work:
            self._wanted = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="recall-ingest", daemon=True)
                self._thread.start()
            self._work.notify()

    def end(self, patience: float) -> bool:
        """The thread has ended; whether all that was wanted is done.

        patience: seconds for that; then it is interrupted, between two batches of texts.
        """
        with self._work:
            thread, self._ending = self._thread, True
            self._work.notify()
        if thread is None:
            return True
        thread.join(patience)
        finished = not thread.is_alive()
        self._interrupted = True
        thread.join(_INTERRUPTED_SECONDS)  # a host gives `stop` ten seconds in all
        return finished

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._wanted or self._ending)
                if not self._wanted:
                    return
                self._wanted = False
            try:
                asyncio.run(self._ingest())
            except RecallError as error:
                _log.warning(f"not ingested: {error}")
            except Exception:
                _log.exception("ingesting failed")

    async def _ingest(self) -> None:
        # A second of imports: the host's thread does not pay for them, nor does it fail where they do.
        from recall_plugin.memory.graph.ingesting import ingest_waiting  # noqa: PLC0415 (a second of imports, see above)
        from recall_plugin.memory.graph.opening import open_graph  # noqa: PLC0415 (a second of imports, see above)
        from recall_plugin.memory.graph.settings import graph_settings  # noqa: PLC0415 (a second of imports, see above)

        started = time.monotonic()
        settings = graph_settings(self._layout, os.environ)
        async with open_graph(self._layout, settings, now=_now()) as graph:
            graph.searcher.should_stop = lambda: self._interrupted
            done = await ingest_waiting(graph, now=_now, should_stop=lambda: self._interrupted)
            for notice in graph.notices:
                _log.warning("graph", notice=notice)
        failed = [one.archive for one in done if one.failure]
        seconds = round(time.monotonic() - started, 2)
        _log.info("ingested", archives=len(done) - len(failed), failed=failed, seconds=seconds)


def _now() -> datetime:
    return datetime.now(UTC)
