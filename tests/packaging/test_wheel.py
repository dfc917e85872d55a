"""What is installed is what was meant: four packages, two commands, one plugin."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The project's wheel, built as an installer would."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=PROJECT, check=True, capture_output=True,
    )  # fmt: skip
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_no_package_collides_with_somebody_elses(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}

    assert {name for name in top if not name.endswith(".dist-info")} == {
        "recall_plugin", "pulse_hookspecs", "recall_adapters", "pulse_host",
    }  # fmt: skip


def test_the_commands_and_the_plugin_are_registered(wheel: zipfile.ZipFile) -> None:
    entry_points = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    text = wheel.read(entry_points).decode()

    assert "recall = recall_plugin.cli.main:entry" in text
    assert "pulse = pulse_host.main:entry" in text
    assert "[pulse.plugins]\nrecall = recall_plugin.plugin:RecallPlugin" in text


def test_every_package_is_typed(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())

    assert {
        f"{package}/py.typed" for package in ("recall_plugin", "pulse_hookspecs", "recall_adapters", "pulse_host")
    } <= names


def test_the_licence_travels_along(wheel: zipfile.ZipFile) -> None:
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())
    assert any(name.endswith("licenses/NOTICE") for name in wheel.namelist())
