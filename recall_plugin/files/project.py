"""Which project a session was about."""

from __future__ import annotations

from pathlib import Path

from recall_plugin.domain.conversation import project_of


def project_at(cwd: str) -> str:
    """The name of the repository that `cwd` stands in, else of the folder itself; empty for no folder at all.

    The folder need not exist any more, or on this machine.
    """
    if not cwd.startswith("/"):
        return project_of(cwd)
    for folder in (Path(cwd), *Path(cwd).parents):
        try:
            if (folder / ".git").exists():
                return project_of(cwd, str(folder))
        except (OSError, ValueError):  # a name too long, a NUL, a folder that we may not enter
            break
    return project_of(cwd)
