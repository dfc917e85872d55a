"""Which model made a vector."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_UNSAFE = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 48


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Two vectors may be compared exactly where their models' identities are equal; the dimension says nothing.

    name: as the catalogue spells it.
    digest: of the contents of the files that decide about the vectors, 64 hexadecimal digits.
    """

    name: str
    digest: str

    @property
    def key(self) -> str:
        """The identity as a file name: small letters, digits and hyphens, at most 65 of them."""
        return f"{_UNSAFE.sub('-', self.name.lower()).strip('-')[:_LONGEST_NAME]}-{self.digest[:16]}"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that is here and whole, ready to be loaded.

    registered: the name under which fastembed knows it.
    folder: where fastembed looks for its files.
    """

    identity: ModelIdentity
    registered: str
    folder: Path


def identify(name: str, hashes: Mapping[str, str]) -> ModelIdentity:
    """The identity of a model by the SHA-256 of its files. hashes: hexadecimal, by file name, in any order."""
    listing = "".join(f"{hashes[file]}  {file}\n" for file in sorted(hashes))
    return ModelIdentity(name, hashlib.sha256(listing.encode()).hexdigest())


def hash_file(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
