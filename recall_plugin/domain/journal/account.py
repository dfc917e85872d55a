"""The account of law 5: what became of every session and every archive, as far as the journal tells."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from recall_plugin.domain.instants import format_instant, parse_instant
from recall_plugin.domain.journal.events import ArchiveNoted, SessionNoted


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that did not happen. times: in a row."""

    reason: str
    at: datetime
    times: int = 1

    def to_plain(self) -> dict[str, Any]:
        """The failure as JSON and the store have it."""
        return {"reason": self.reason, "at": format_instant(self.at), "times": self.times}

    @classmethod
    def of_plain(cls, value: Mapping[str, Any]) -> Failure:
        """The failure that `to_plain` gave. Raises KeyError, TypeError or ValueError for anything else."""
        at = parse_instant(value["at"])
        if at is None:
            raise ValueError("at: not an instant")
        return cls(str(value["reason"]), at, _whole(value["times"]))


@dataclass(frozen=True, slots=True)
class Numbers:
    """A set of whole numbers, kept as the runs that it consists of: (first, last), ascending, never touching."""

    runs: tuple[tuple[int, int], ...] = ()

    def __contains__(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self.runs)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.runs)

    def added(self, number: int) -> Numbers:
        """This set and `number`."""
        if number in self:
            return self
        first = last = number
        runs = []
        for low, high in self.runs:
            if high == number - 1:
                first = low
            elif low == number + 1:
                last = high
            else:
                runs.append((low, high))
        return Numbers(tuple(sorted([*runs, (first, last)])))

    def removed(self, number: int) -> Numbers:
        """This set without `number`."""
        runs: list[tuple[int, int]] = []
        for low, high in self.runs:
            if not low <= number <= high:
                runs.append((low, high))
                continue
            runs += [run for run in ((low, number - 1), (number + 1, high)) if run[0] <= run[1]]
        return Numbers(tuple(runs))


@dataclass(frozen=True, slots=True)
class Account:
    """What became of sessions and archives.

    sessions: those whose last attempt at the door failed, by session id (of a hook that named none: empty).
    archives: those whose last attempt to ingest failed, by number. ingested: the numbers of those that were ingested.
    """

    archived: int = 0
    ingested: Numbers = Numbers()
    sessions: Mapping[str, Failure] = field(default_factory=lambda: MappingProxyType({}))
    archives: Mapping[int, Failure] = field(default_factory=lambda: MappingProxyType({}))

    def noted(self, event: SessionNoted | ArchiveNoted, at: datetime) -> Account:
        """The account with `event`, which was recorded at `at`."""
        if isinstance(event, SessionNoted):
            return self._session(event, at)
        failures = {number: failure for number, failure in self.archives.items() if number != event.archive}
        if event.stage == "ingested":
            return replace(self, ingested=self.ingested.added(event.archive), archives=failures)
        before = self.archives.get(event.archive)
        failures[event.archive] = Failure(event.reason, at, before.times + 1 if before else 1)
        return replace(self, ingested=self.ingested.removed(event.archive), archives=failures)

    def waiting(self, present: Iterable[int]) -> list[int]:
        """Of the archives that are there, those that were not ingested, ascending."""
        return sorted(number for number in present if number not in self.ingested)

    def to_plain(self) -> dict[str, Any]:
        """The account as JSON and the store have it."""
        return {
            "archived": self.archived,
            "ingested": [list(run) for run in self.ingested.runs],
            "sessions": [{"session": session, **one.to_plain()} for session, one in self.sessions.items()],
            "archives": [{"archive": number, **one.to_plain()} for number, one in self.archives.items()],
        }

    @classmethod
    def of_plain(cls, value: Mapping[str, Any]) -> Account:
        """The account that `to_plain` gave. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            _whole(value["archived"]),
            _numbers(value["ingested"]),
            {str(row["session"]): Failure.of_plain(row) for row in value["sessions"]},
            {_whole(row["archive"]): Failure.of_plain(row) for row in value["archives"]},
        )

    def _session(self, event: SessionNoted, at: datetime) -> Account:
        failures = {session: failure for session, failure in self.sessions.items() if session != event.session}
        if event.stage == "archived":
            return replace(self, archived=self.archived + (event.archive is not None), sessions=failures)
        before = self.sessions.get(event.session)
        failures[event.session] = Failure(event.reason, at, before.times + 1 if before else 1)
        return replace(self, sessions=failures)


def _numbers(value: Any) -> Numbers:
    runs = tuple((_whole(first), _whole(last)) for first, last in value)
    if any(first > last for first, last in runs) or any(
        after <= last + 1 for (_, last), (after, _) in itertools.pairwise(runs)
    ):
        raise ValueError("ingested: not runs of numbers, ascending and apart")
    return Numbers(runs)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value
