"""The processes that led to this one, by the names that they go by.

Best effort: where the system tells nothing (another user's process, a hidden `/proc`, the edge of a container), the
line ends.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MOST_PARENTS = 64
LONGEST_SECONDS = 1.0

_PROC = Path("/proc")
_ALIASES = {"nodejs": "node", "bun": "node", **dict.fromkeys(("bash", "dash", "zsh", "ksh", "fish", "ash"), "sh")}
_OPTIONS_WITH_VALUE = {
    "node": {"-r", "--require", "--import", "--loader", "--preload", "-C", "--conditions", "--env-file"},
    "python": {"-W", "-X"},
    "sh": {"-o", "+o"},
}
# After these comes code, and no script.
_CODE = {
    "node": re.compile(r"-[a-z]*[ep]|--eval|--print"),
    "python": re.compile(r"-[A-Za-z]*c"),
    "sh": re.compile(r"-[A-Za-z]*c"),
}
_PACKAGE_FOLDERS = {"node_modules", "site-packages"}


@dataclass(frozen=True, slots=True)
class Parent:
    """A process: its number, its parent's, the kernel's short name for it ("" unknown) and its words."""

    pid: int
    ppid: int
    short_name: str
    words: tuple[str, ...]

    def names(self) -> set[str]:
        """What the process may be called, in lower case: its program and, where that is an interpreter, its script.

        A script goes by its file name, by the package that it lies in, and by its module.
        """
        program = PurePosixPath(self.words[0]).name.lstrip("-") if self.words else ""
        # A program that renames itself writes its arguments into the same word.
        names = {self.short_name, program, *program.split()[:1], *_script_names(program, self.words[1:])}
        return {name.lower() for name in names if name}


Table = Callable[[int], Parent | None]


def parents(look_up: Table | None = None) -> Iterator[Parent]:
    """The parent of this process, its parent, and so on, as far as the system tells: at most 64, within one second.

    look_up: finds a process by its number; left out, by `/proc` where there is one, else by `ps`.
    """
    find = look_up or (from_proc if (_PROC / "self" / "stat").exists() else table_of_ps())
    until = time.monotonic() + LONGEST_SECONDS
    pid = os.getppid()
    for _ in range(MOST_PARENTS):
        found = find(pid) if pid > 0 and time.monotonic() < until else None
        if found is None:
            return
        yield found
        pid = found.ppid


def from_proc(pid: int) -> Parent | None:
    """The process with that number as Linux shows it; None where it does not."""
    try:
        state = (_PROC / str(pid) / "stat").read_bytes().decode(errors="replace")
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return None
    # A name may hold parentheses and spaces; the last closing one is the kernel's.
    before, _, after = state.rpartition(")")
    fields = after.split()
    if len(fields) < 2 or not fields[1].isdecimal():
        return None
    return Parent(pid, int(fields[1]), before.partition("(")[2], tuple(word for word in words.split("\0") if word))


def table_of_ps(command: str = "ps") -> Table:
    """A look-up in what one call of `ps` shows, which joins words by spaces; an empty one where the call fails."""
    import subprocess  # Linux does without

    try:
        shown = subprocess.run(
            [command, "-axo", "pid=,ppid=,args="],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            check=True, timeout=LONGEST_SECONDS,
        ).stdout.decode(errors="replace")  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        shown = ""
    table = {}
    for line in shown.splitlines():
        fields = line.split()
        if len(fields) > 2 and fields[0].isdecimal() and fields[1].isdecimal():
            table[int(fields[0])] = Parent(int(fields[0]), int(fields[1]), "", tuple(fields[2:]))
    return table.get


def _script_names(program: str, words: tuple[str, ...]) -> set[str]:
    interpreter = program.lower().rstrip("0123456789.")
    interpreter = _ALIASES.get(interpreter, interpreter)
    if interpreter not in _CODE:
        return set()
    rest = iter(words)
    for word in rest:
        if _CODE[interpreter].fullmatch(word):
            return set()
        if word == "-m" and interpreter == "python":
            return set(next(rest, "").split("."))
        if word in _OPTIONS_WITH_VALUE[interpreter]:
            next(rest, None)
        elif not word.startswith(("-", "+")):
            return _names_of_script(PurePosixPath(word))
    return set()


def _names_of_script(path: PurePosixPath) -> set[str]:
    names = {path.name, path.stem}
    folders = path.parts[:-1]
    for place, folder in enumerate(folders):
        if folder in _PACKAGE_FOLDERS:
            package = folders[place + 1 : place + 3]  # `@scope/package` or `package`
            names.update(package[:2] if package and package[0].startswith("@") else package[:1])
    return names
