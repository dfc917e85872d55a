"""A conversation file as a transcript, so that one of ours, or another tool's in the same format, can be archived."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from recall_plugin.domain.conversation import Session, Turn
from recall_plugin.domain.transcript import ReadReport
from recall_plugin.errors import LayoutError, UnknownFormat
from recall_plugin.files import conversations
from recall_plugin.files.atomic import open_regular

_OPENING = b"---"


def looks_like_archive(path: Path) -> bool:
    """Whether the file is markdown, or begins as an archive does. False for what cannot be read."""
    try:
        file = open_regular(path)
    except LayoutError:
        return False
    if file is None:
        return False
    with file:
        first = file.read(8).removeprefix(b"\xef\xbb\xbf")
    return path.suffix == ".md" or first.startswith((_OPENING + b"\n", _OPENING + b"\r\n"))


class ArchiveTranscript:
    """A conversation file, read as a Transcript. One that names no session gets an id from its content."""

    def __init__(self, path: Path) -> None:
        """Raises LayoutError where there is no readable file, UnknownFormat where it holds no turn."""
        self.path = path
        with conversations.opened(path) as reader:
            self._session = reader.head.session
            if next(reader.turns(), None) is None:
                raise UnknownFormat(path, "holds no turns", hint="an archive has headings such as `### User`")
        if not self._session.id:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            self._session = replace(self._session, id=f"file-{digest[:16]}")
        self._report = ReadReport(size=path.stat().st_size)

    @property
    def session(self) -> Session:
        return self._session

    @property
    def report(self) -> ReadReport:
        return self._report

    def turns(self) -> Iterator[Turn]:
        """The turns as they stand in the file. A file that was cut off is reported."""
        self._report = ReadReport(size=self.path.stat().st_size)
        with conversations.opened(self.path) as reader:
            self._report.started_at = reader.head.date
            yield from reader.turns()
            if not reader.complete:
                self._report.warnings.append(f"{self.path} is cut off: its end is missing")
