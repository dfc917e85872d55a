"""A memory with no journal yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_plugin.domain.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A memory folder with nothing in it."""
    layout = Layout(tmp_path)
    layout.memory.mkdir(mode=0o700)
    return layout
