"""A home of their own for all tests: nothing here may read or write the developer's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recall_plugin.domain.layout import Layout
from recall_plugin.memory.setup import make_memory

settings.register_profile("recall", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("recall")

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, which every path that hangs off HOME goes by."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("RECALL_PULSE_ROOT", raising=False)
    return folder


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A memory, freshly made."""
    return make_memory(tmp_path / "nia").layout


class Recall:
    """The `recall` command as a process of its own."""

    def __init__(self, home: Path, cwd: Path) -> None:
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        self.cwd = cwd

    def __call__(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        wrapper: Sequence[str] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Runs `recall ARGUMENTS` to its end. wrapper: a command that runs it, such as one that drops privileges."""
        return subprocess.run(
            [*wrapper, sys.executable, "-m", "recall_plugin.cli", *map(str, arguments)],
            input=stdin.decode("utf-8", "surrogateescape"),
            encoding="utf-8",
            errors="surrogateescape",
            capture_output=True,
            check=False,
            timeout=100,
            cwd=self.cwd,
            env={**self.environment, **(environment or {})},
        )


@pytest.fixture
def recall(home: Path, tmp_path: Path) -> Recall:
    """`recall` with an empty home, in an empty folder."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    return Recall(home, folder)


@pytest.fixture
def unlocked(tmp_path: Path) -> Iterator[Path]:
    """The test's folder, whose folders are made writable again at the end so that they can be removed."""
    yield tmp_path
    for folder in [tmp_path, *tmp_path.rglob("*")]:
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(stat.S_IRWXU)
