"""The family of errors.

RecallError
├── UsageError            the call itself makes no sense
│   └── UnknownModel      no embedding model has that name
├── NotInitialised        no pulse root, or one without a memory
├── ConfigRefused         .recall-echo.toml cannot be trusted as it stands
├── TranscriptError       a transcript cannot be read
│   └── UnknownFormat     or is none that is known here
├── LayoutError           something on disk is not what the layout says
│   └── JournalDamaged    a line of the journal is no event, or not the one that belongs there
├── EventRefused          what was to be written into the journal cannot stand there
├── WriteFailed           a write did not happen: permission, space, a read-only disk
│   └── WriteUnconfirmed  or the disk did not confirm it
├── ModelError            an embedding model cannot be used
│   ├── ModelMissing      its files are not here
│   ├── ModelAltered      a file of it is not the one it should be
│   ├── ModelUnusable     its files cannot be loaded
│   ├── ModelChanged      the store's vectors are another model's
│   └── TextsNotEmbedded  it makes no direction of a text
├── EmbeddingStopped      whoever asked for vectors asked to stop
├── VectorsRefused        vectors are no finite unit vectors
├── JournalNewer          an event was written by a newer program
├── StoreError            the graph's store refused something
│   ├── StoreDamaged      it does not open, or is none of ours
│   ├── StoreNewer        it was written by a newer program
│   └── StoreBehind       it could not follow what was recorded
├── UnknownEntity         no entity has this name
├── AmbiguousName         or several have
├── EntityExists          or one has it already
├── UnknownRelation       no such relation is known
├── NotWritable           the journal cannot be followed to its end, so that nothing is recorded
└── Busy                  another process works on the memory folder
    └── StoreHeld         and has the store open

Each carries its facts as fields. `message` says what is wrong and where, `hint` what to do next; only the outermost
door turns an error into an exit code and a line on stderr.
"""

from __future__ import annotations

import errno
from pathlib import Path


class RecallError(Exception):
    """Something went wrong that the person can do something about."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UsageError(RecallError):
    """The call itself makes no sense: an option out of range, an unknown key."""

    exit_code = 2


class UnknownModel(UsageError):
    """No embedding model has that name. alike: names spelled alike, the best first."""

    def __init__(self, name: str, alike: tuple[str, ...]) -> None:
        super().__init__(
            f"no embedding model is called {name!r}",
            hint=f"did you mean {' or '.join(alike)}?" if alike else "name minilm-int8 or one of fastembed's catalogue",
        )
        self.name = name
        self.alike = alike


class NotInitialised(RecallError):
    """There is no pulse root, or the one named holds no memory."""

    exit_code = 3


class ConfigRefused(RecallError):
    """The config file cannot be trusted as it stands, and no default stands in for it (law 4)."""

    def __init__(self, path: Path, reason: str, *, key: str = "", line: int | None = None, hint: str = "") -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        subject = f"{place}: {key}: {reason}" if key else f"{place}: {reason}"
        super().__init__(
            f"config refused: {subject}", hint=hint or "mend the file; nothing is learned or sent until then"
        )
        self.path = path
        self.reason = reason
        self.key = key
        self.line = line


class TranscriptError(RecallError):
    """A transcript is missing, unreadable, or in no format that is known here."""

    def __init__(self, path: Path, reason: str, *, hint: str = "") -> None:
        super().__init__(f"{path}: {reason}", hint=hint)
        self.path = path
        self.reason = reason


class UnknownFormat(TranscriptError):
    """A file is no transcript in a format that is known here."""


class LayoutError(RecallError):
    """A path of the memory folder is not what the layout says: a folder where a file should be, a foreign file."""

    def __init__(self, path: Path, reason: str, *, hint: str = "") -> None:
        super().__init__(f"{path}: {reason}", hint=hint)
        self.path = path
        self.reason = reason


class JournalDamaged(LayoutError):
    """A line of the journal is no event, or bears another number than belongs there.

    line: counted from 1. good_until: the number of the last event before it, 0 where none is known.
    """

    def __init__(self, path: Path, line: int, reason: str, *, good_until: int) -> None:
        super().__init__(
            path,
            f"line {line}: {reason}; what stands before it, up to event {good_until}, is not touched by this",
            hint="mend the line, bring the file back from a backup, or put a blank in its place (docs/journal.md)",
        )
        self.line = line
        self.reason = reason
        self.good_until = good_until


class EventRefused(RecallError):
    """An event cannot stand in the journal: it is no JSON, too large, too deep, or takes the envelope's keys."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"event {kind!r} cannot be journalled: {reason}")
        self.kind = kind
        self.reason = reason


class WriteFailed(RecallError):
    """A write did not happen, and what stood there before still does."""

    def __init__(self, path: Path, reason: str, *, hint: str = "") -> None:
        super().__init__(f"cannot write {path}: {reason}", hint=hint)
        self.path = path
        self.reason = reason

    @classmethod
    def from_os_error(cls, path: Path, error: OSError) -> WriteFailed:
        """The same failure with what to do about it."""
        hints = {
            errno.ENOSPC: "free some space and run the command again; nothing was half written",
            errno.EDQUOT: "your quota is used up: free some space and run the command again; nothing was half written",
            errno.EFBIG: "files may not grow so large here: raise the limit (ulimit -f); nothing was half written",
            errno.EACCES: f"make the folder writable for you: chmod u+rwx {path.parent}",
            errno.EPERM: f"make the folder writable for you: chmod u+rwx {path.parent}",
            errno.EROFS: "the disk is mounted read-only: name another root with --pulse-root",
            errno.EISDIR: "a folder stands where this file should be: move it away",
            errno.ENOTDIR: "a file stands where a folder should be: move it away",
            errno.ENOENT: "the folder has vanished: run `recall init` to make it again",
            errno.ENAMETOOLONG: "choose a shorter path",
        }
        return cls(path, error.strerror or str(error), hint=hints.get(error.errno or 0, ""))


class WriteUnconfirmed(WriteFailed):
    """The disk did not confirm a write, so that whoever wrote writes no more: what it holds is not known."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason, hint="look at the disk (dmesg, df), then start again; what was confirmed stands")


class Busy(RecallError):
    """Another process holds the memory folder's lock."""

    exit_code = 4

    def __init__(self, path: Path, waited: float, holder: str = "") -> None:
        by = f" by {holder}" if holder else ""
        super().__init__(f"{path} is held{by}; waited {waited:.1f} s", hint="try again when it has finished")
        self.path = path
        self.holder = holder


class StoreError(RecallError):
    """The graph's store refused something."""

    def __init__(self, path: Path, reason: str, *, hint: str = "") -> None:
        super().__init__(
            f"the store {path}: {reason}",
            hint=hint or "run the command again; `recall rebuild` makes the store again from journal and archives",
        )
        self.path = path
        self.reason = reason


class StoreDamaged(StoreError):
    """The graph's store does not open, or holds what no store of ours holds. Nothing is lost by it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            path,
            f"damaged: {reason}",
            hint="run `recall rebuild`: the journal and the archives hold everything, and the store is made again",
        )


class JournalNewer(RecallError):
    """An event of the journal was written by a newer program."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}", hint="upgrade recall_plugin; nothing was changed")
        self.path = path
        self.reason = reason


class StoreNewer(StoreError):
    """The store was written by a newer program."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason, hint="upgrade recall_plugin; nothing was changed")


class StoreBehind(StoreError):
    """What was to be recorded is recorded, and the store could not follow. cause: why not."""

    def __init__(self, path: Path, cause: RecallError) -> None:
        super().__init__(
            path,
            f"it could not follow what was recorded: {cause.message}",
            hint="do not run the command again: what it recorded stands, and is found when the graph is opened next",
        )
        self.cause = cause


class StoreHeld(Busy):
    """Another process has the store open."""

    def __init__(self, path: Path, waited: float, holder: str) -> None:
        super().__init__(path, waited, holder)
        self.hint = "wait until it has finished, or stop it, and run the command again"


class UnknownEntity(RecallError):
    """No entity has this name."""

    def __init__(self, name: str, suggestions: list[str]) -> None:
        close = ", ".join(repr(one) for one in suggestions)
        hint = f"did you mean {close}?" if close else "`recall graph search` looks for one by meaning;"
        super().__init__(f"no entity is called {name!r}", hint=f"{hint} `recall graph add-entity` makes a new one")
        self.name = name
        self.suggestions = suggestions


class AmbiguousName(RecallError):
    """Several entities have this name. choices: how each is named without doubt."""

    def __init__(self, name: str, choices: list[str]) -> None:
        super().__init__(f"{name!r} is the name of several entities", hint=f"say which: {', '.join(choices)}")
        self.name = name
        self.choices = choices


class EntityExists(RecallError):
    """There is an entity of this type and name."""

    def __init__(self, entity_type: str, name: str) -> None:
        super().__init__(
            f"there is {entity_type} {name!r} already",
            hint="`recall graph add-entity --update` changes what is known of it",
        )
        self.type = entity_type
        self.name = name


class UnknownRelation(RecallError):
    """There is no such relation between two known entities."""

    def __init__(self, source: str, relation_type: str, target: str) -> None:
        super().__init__(
            f"{source} {relation_type} {target} is not known",
            hint=f"`recall graph traverse {source!r}` shows what is, `recall graph relate` makes it known",
        )
        self.source = source
        self.type = relation_type
        self.target = target


class NotWritable(RecallError):
    """Nothing can be learned for now: what the journal holds cannot be followed to its end."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: nothing is recorded: {reason}", hint="what is known can still be asked for")
        self.path = path
        self.reason = reason


class ModelError(RecallError):
    """The embedding model cannot be used."""

    def __init__(self, model: str, reason: str, *, hint: str = "") -> None:
        super().__init__(f"the embedding model {model}: {reason}", hint=hint)
        self.model = model
        self.reason = reason


class ModelMissing(ModelError):
    """The files of an embedding model are not here, and could not be had."""


class ModelAltered(ModelError):
    """A file of an embedding model is not the one it should be. expected, found: SHA-256, hexadecimal."""

    def __init__(self, model: str, path: Path, *, expected: str, found: str, hint: str) -> None:
        super().__init__(model, f"{path} was altered: its SHA-256 is {found}, and should be {expected}", hint=hint)
        self.path = path
        self.expected = expected
        self.found = found


class ModelUnusable(ModelError):
    """The files of an embedding model are here and cannot be loaded."""

    def __init__(self, model: str, path: Path, reason: str) -> None:
        super().__init__(
            model,
            f"what stands in {path} cannot be loaded: {reason}",
            hint="remove that folder, and it is fetched again; or name another model",
        )
        self.path = path


class TextsNotEmbedded(ModelError):
    """The model made no direction of some texts. places: of them among those given, ascending, from 0."""

    def __init__(self, model: str, places: tuple[int, ...]) -> None:
        shown = ", ".join(str(place) for place in places[:5]) + (", …" if len(places) > 5 else "")
        super().__init__(model, f"no direction for {len(places)} of the texts (number {shown}, counted from 0)")
        self.places = places


class EmbeddingStopped(RecallError):
    """Embedding was told to stop. done: texts that were embedded until then, of `total`."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"embedding was stopped after {done} of {total} texts", hint="run it again: it goes on")
        self.done = done
        self.total = total


class VectorsRefused(RecallError):
    """Vectors cannot be kept: not finite, or not of length 1. places: of them among those given, from 0."""

    def __init__(self, path: Path, places: tuple[int, ...]) -> None:
        shown = ", ".join(str(place) for place in places[:5]) + (", …" if len(places) > 5 else "")
        super().__init__(f"{path}: {len(places)} vectors are no finite unit vectors (number {shown}, counted from 0)")
        self.path = path
        self.places = places


class ModelChanged(ModelError):
    """The configured model is not the one that the store's vectors are of; the two say nothing to each other."""

    def __init__(self, name: str, known: str) -> None:
        super().__init__(
            name,
            f"the vectors of this memory are of another model, {known}",
            hint="`recall rebuild` embeds everything anew, and goes on where it was interrupted; or set "
            "graph.embedding.model back",
        )
        self.known = known
