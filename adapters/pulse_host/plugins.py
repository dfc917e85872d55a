"""The plugins of a pulse, loaded for a command."""

from __future__ import annotations

from collections.abc import Collection

from pulse_hookspecs import PluginConflict, Plugins
from pulse_host.errors import HostError


def load(disabled: Collection[str], *, hint: str) -> Plugins:
    """Every installed plugin but the disabled ones. Where two exclude each other, a HostError says how to choose.

    hint: what the person can do to disable one.
    """
    try:
        return Plugins.load(disabled=disabled)
    except PluginConflict as conflict:
        raise HostError(str(conflict), hint=hint) from None
