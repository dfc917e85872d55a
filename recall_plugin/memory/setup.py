"""A memory comes to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recall_plugin.domain.layout import Layout
from recall_plugin.errors import LayoutError
from recall_plugin.files import curated, layers, roots
from recall_plugin.files.atomic import make_folder
from recall_plugin.memory.policy import settings


@dataclass(frozen=True, slots=True)
class Initialised:
    """created: the parts that are new. repaired: the derived files that were made again, with what was wrong."""

    layout: Layout
    created: tuple[str, ...]
    repaired: tuple[str, ...]


def make_memory(root: Path) -> Initialised:
    """The folders and files of a memory stand under `root`, nothing that stood there is changed, and the layers agree.

    root: absolute. Raises LayoutError, WriteFailed, Busy.
    """
    layout = Layout(root)
    if root.exists() and not root.is_dir():
        raise LayoutError(root, "a file stands where the pulse root should be", hint="name a folder")
    created: list[str] = []
    for folder in (layout.memory, layout.conversations):
        if not folder.is_dir():
            make_folder(folder)
            created.append(f"{folder.relative_to(root)}/")
    roots.check_writable(layout.memory)
    roots.check_writable(layout.conversations)
    if curated.create(layout):
        created.append(str(layout.curated.relative_to(root)))
    window = settings(layout).policy.window
    missing = [file for file in (layout.index, layout.ephemeral) if not file.exists()]
    if missing and not layers.disagreements(layout):
        with layers.locked(layout):
            layers.refresh(layout, window)
        created += [str(file.relative_to(root)) for file in missing]
    repaired = layers.repair(layout, window)
    return Initialised(layout, tuple(created), tuple(str(disagreement) for disagreement in repaired))


@dataclass(frozen=True, slots=True)
class Registration:
    """The registered root after `register`. kept: the one that was left in place, because nobody said to replace it."""

    registered: Path
    kept: bool = False


def register(root: Path, environment: Mapping[str, str], *, replace: bool) -> Registration:
    """`root` is registered, unless another root is and `replace` is not said. Raises LayoutError, WriteFailed."""
    try:
        known = roots.registered(environment)
    except LayoutError:
        if not replace:
            raise
        known = None
    if known is not None and not replace and not _same(known, root):
        return Registration(known, kept=True)
    if known != root:
        roots.register(root, environment)
    return Registration(root)


def _same(one: Path, other: Path) -> bool:
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False
