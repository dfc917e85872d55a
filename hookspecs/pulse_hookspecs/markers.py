"""The names that plugins and hosts agree on, and pluggy's markers for them."""

from __future__ import annotations

import pluggy

PROJECT = "pulse"
"""The pluggy project: a plugin's hooks are found by this name."""

GROUP = "pulse.plugins"
"""The entry-point group under which a plugin registers itself."""

hookspec = pluggy.HookspecMarker(PROJECT)
"""Marks a function of `spec` as a hook that plugins may implement."""

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's function or method as its implementation of the hook of the same name."""
