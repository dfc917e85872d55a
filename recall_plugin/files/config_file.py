"""`.recall-echo.toml` on the disk (law 4). Apart from `trusted`, because this imports the config's library."""

from __future__ import annotations

from pathlib import Path

from recall_plugin import config
from recall_plugin.config import Config
from recall_plugin.errors import ConfigRefused, LayoutError
from recall_plugin.files.trusted import read_trusted


def load_config(path: Path) -> Config:
    """The config at `path`, or the defaults where there is no file. Raises ConfigRefused."""
    return config.parse(read_config(path), path)


def read_config(path: Path) -> str:
    """The text of the config at `path`, empty where there is no file. Raises ConfigRefused."""
    try:
        return read_trusted(path) or ""
    except LayoutError as error:
        raise ConfigRefused(path, error.reason, hint=error.hint) from error
