"""Reading the fields of an event, which may have been written by anybody."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from recall_plugin.domain.instants import format_instant, parse_instant

_Member = TypeVar("_Member", bound=StrEnum)
_LARGEST = 2**53


class InvalidEvent(ValueError):
    """An event's fields make no sense; the message names the field."""


class Fields:
    """The fields of one event. A reader that does not take a value raises InvalidEvent, naming the field."""

    def __init__(self, values: Mapping[str, object], where: str = "") -> None:
        self._values = values
        self._where = where

    @staticmethod
    def plain(values: Mapping[str, object]) -> dict[str, object]:
        """`values` with every instant written as text, at the top level, where alone an event has them."""
        return {name: format_instant(v) if isinstance(v, datetime) else v for name, v in values.items()}

    def has(self, name: str) -> bool:
        """Whether the field is there, with whatever in it: an empty field is left out, never null."""
        return name in self._values

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._values.get(name)
        if not isinstance(value, str) or not value:
            raise self._refused(name, "not a text")
        return value

    def text_or_empty(self, name: str) -> str:
        value = self._values.get(name, "")
        if not isinstance(value, str):
            raise self._refused(name, "not a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        values = self._list(name)
        if not all(isinstance(value, str) and value for value in values):
            raise self._refused(name, "not a list of texts")
        return tuple(str(value) for value in values)

    def number(self, name: str) -> float:
        """A finite number."""
        value = self._values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._refused(name, "not a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self._refused(name, "not a finite number")
        return number

    def share(self, name: str) -> float:
        """A number in [0, 1]."""
        value = self.number(name)
        if not 0.0 <= value <= 1.0:
            raise self._refused(name, "not between 0 and 1")
        return value

    def count(self, name: str) -> int:
        """A whole number, at least 1."""
        return self._count(name, self._values.get(name), 1)

    def count_or_zero(self, name: str) -> int:
        return self._count(name, self._values.get(name, 0), 0)

    def span(self, name: str) -> tuple[int, int]:
        """Two whole numbers, the first below the second."""
        values = self._list(name)
        if len(values) == 2:
            start, end = (self._count(name, value, 0) for value in values)
            if start < end:
                return start, end
        raise self._refused(name, "not [first, one after the last]")

    def pairs(self, name: str) -> tuple[tuple[int, int], ...]:
        return tuple((row[0], row[1]) for row in self._rows(name, 2))

    def counted_pairs(self, name: str) -> tuple[tuple[int, int, int], ...]:
        """Rows of a pair, and how often, which is at least 1."""
        return tuple((row[0], row[1], self._count(name, row[2], 1)) for row in self._rows(name, 3))

    def instant(self, name: str) -> datetime:
        value = self._values.get(name)
        found = parse_instant(value) if isinstance(value, str) else None
        if found is None:
            raise self._refused(name, "not an instant")
        return found

    def member(self, name: str, kind: type[_Member]) -> _Member:
        return kind(self.one_of(name, [member.value for member in kind]))

    def one_of(self, name: str, known: Collection[str]) -> str:
        value = self._values.get(name)
        if not isinstance(value, str) or value not in known:
            raise self._refused(name, f"not one of {', '.join(sorted(known))}")
        return value

    def inner(self, name: str) -> Fields:
        return Fields(self._mapping(name), f"{self._where}{name}.")

    def text_map(self, name: str) -> dict[str, str]:
        values = self._mapping(name) if self.has(name) else {}
        if not all(isinstance(value, str) for value in values.values()):
            raise self._refused(name, "not texts by name")
        return {key: str(value) for key, value in values.items()}

    def count_map(self, name: str) -> dict[str, int]:
        values = self._mapping(name) if self.has(name) else {}
        return {key: self._count(name, value, 1) for key, value in values.items()}

    def _mapping(self, name: str) -> Mapping[str, object]:
        value = self._values.get(name)
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise self._refused(name, "not an object")
        return value

    def _rows(self, name: str, width: int) -> list[tuple[int, ...]]:
        rows = self._list(name)
        if not all(isinstance(row, list) and len(row) == width for row in rows):
            raise self._refused(name, f"not a list of rows of {width}")
        return [tuple(self._count(name, value, 0) for value in row) for row in rows if isinstance(row, list)]

    def _list(self, name: str) -> list[object]:
        value = self._values.get(name, [])
        if not isinstance(value, list):
            raise self._refused(name, "not a list")
        return value

    def _count(self, name: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < _LARGEST:
            raise self._refused(name, f"not a whole number from {least}")
        return value

    def _refused(self, name: str, reason: str) -> InvalidEvent:
        return InvalidEvent(f"{self._where}{name}: {reason}")
