"""The key by which memory knows its own prints: one for each user, in the config folder."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.domain.fence import Print, fenced, new_print_id
from recall_plugin.errors import LayoutError, RecallError
from recall_plugin.files.atomic import make_folder, staged
from recall_plugin.files.roots import config_folder
from recall_plugin.files.trusted import read_trusted

KEY_FILE = "print-key"
_KEY_BYTES = 32
_FORM = re.compile(rf"[0-9a-f]{{{2 * _KEY_BYTES}}}\n?")


@dataclass(frozen=True, slots=True)
class PrintKey:
    """The key, and why it is not the kept one.

    key: 32 bytes. problem: empty for the key that is kept; else what is wrong with its file, and `key` is a random one
    that nobody will know again, so that what is printed with it is not recognised later.
    """

    key: bytes
    problem: str = ""

    def print(self, text: str) -> Print:
        """A print of `text`, fenced under a new id that does not occur in it."""
        print_id = new_print_id(text)
        return Print(print_id, fenced(text, print_id, self.key))


def print_key(environment: Mapping[str, str]) -> PrintKey:
    """The user's key, made where there is none; processes that make it at the same time get the same.

    Never raises for a file that is missing, refused or cannot be written: `problem` says so then.
    """
    try:
        path = config_folder(environment) / KEY_FILE
        return PrintKey(_kept(path) or _made(path))
    except RecallError as error:
        return PrintKey(secrets.token_bytes(_KEY_BYTES), str(error))
    except OSError as error:
        return PrintKey(secrets.token_bytes(_KEY_BYTES), f"the print key cannot be read: {error}")


def _kept(path: Path) -> bytes | None:
    text = read_trusted(path)
    if text is None:
        return None
    if not _FORM.fullmatch(text):
        hint = "remove it, and a new key is made; what was printed before is not recognised any more then"
        raise LayoutError(path, "holds no print key", hint=hint)
    return bytes.fromhex(text)


def _made(path: Path) -> bytes:
    key = secrets.token_bytes(_KEY_BYTES)
    make_folder(path.parent)
    with staged(path.parent, destination=path) as stage:
        stage.file.write(f"{key.hex()}\n".encode())
        if stage.claim(path):
            return key
    kept = _kept(path)
    if kept is None:
        raise LayoutError(path, "vanished while it was made")
    return kept
