"""Plugins that are really installed: a folder for `sys.path` with modules and a dist-info that names entry points.

The folder also holds an empty `recall_plugin` distribution. importlib.metadata goes by the first distribution of a
name, so where this project itself is installed, its own Memory plugin does not get in the way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import pulse_hookspecs
import pulse_host

GROUP = "pulse.plugins"


def install(
    site: Path, entry_points: Mapping[str, str], modules: Mapping[str, str], dist: str = "fake_plugins"
) -> Path:
    """`site` holds `modules` (name to source) and a distribution with `entry_points` (name to "module:attribute")."""
    site.mkdir(exist_ok=True)
    for name, source in modules.items():
        (site / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    distribution(site, dist, entry_points)
    if dist != "recall_plugin":
        distribution(site, "recall_plugin", {})
    return site


def distribution(site: Path, name: str, entry_points: Mapping[str, str]) -> None:
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[{GROUP}]", *(f"{key} = {value}" for key, value in entry_points.items())]
    (folder / "entry_points.txt").write_text("\n".join(lines) if entry_points else "", encoding="utf-8")


def environment(site: Path, **variables: str) -> dict[str, str]:
    """The environment of a process that finds the plugins in `site`, the contract, the host, and nothing else of ours.

    Every warning is an error there.
    """
    roots = (Path(module.__file__ or "").parents[1] for module in (pulse_hookspecs, pulse_host))
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "TMPDIR") if key in os.environ}
    path = os.pathsep.join(map(str, (site, *roots)))
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error", **variables}


def interrupt(process: subprocess.Popen[Any]) -> None:
    """`process` has ended after Ctrl-C. One that comes just before a blocking read is only noticed with the next."""
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(3)
            return
    raise AssertionError("the process does not end when it is interrupted")


def python() -> str:
    return sys.executable
