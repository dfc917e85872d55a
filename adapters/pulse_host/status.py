"""`pulse status`: how each plugin and each of its layers fares, and why."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from pulse_hookspecs import NO_MEMORY, Health, PluginMeta, Plugins, worst
from pulse_host import settings as pulse_toml
from pulse_host import show
from pulse_host.errors import HostError
from pulse_host.plugins import load
from pulse_host.settings import Settings

_SHAPE = """\
exit code: 0 healthy, 1 degraded, 2 down, or not to be found out
--json: {"state", "name", "config", "pulse_root", "plugins": [{"name", "role", "version", "health"}], "notes": [text]}
where a health is {"state": "healthy" | "degraded" | "down", "reasons" or "reason", "layers": [{"name", "health",
"detail"}]}; {"state": "down", "reason"} alone when the status could not be found out
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_config_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.epilog = _SHAPE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say which pulse is meant."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--dir", type=Path, help="the folder of pulse.toml (default: here, or the nearest above)")
    which.add_argument("--config", type=Path, metavar="FILE", help="the pulse.toml itself")


def run(arguments: argparse.Namespace, out: TextIO) -> int:
    """0 healthy, 1 degraded, 2 down."""
    try:
        settings = pulse_toml.find(arguments.dir, arguments.config)
        plugins = load(settings.disabled, hint=f"write that into {settings.path}")
        root = settings.existing_root()
    except HostError as error:
        error.exit_code = show.EXIT_CODES["down"]
        if arguments.json:
            print(show.as_json({"state": "down", "reason": str(error)}), file=out)
        raise
    with plugins.running(pulse_root=root, pulse_name=settings.pulse_name, config=settings.sections):
        healths = plugins.health()
    overall = worst(*healths.values())
    notes = _notes(settings, plugins)
    if arguments.json:
        print(show.as_json(_json(settings, plugins.metas, healths, notes)), file=out)
    else:
        _print(settings, plugins.metas, healths, notes, out)
    return show.EXIT_CODES[overall.state]


def _notes(settings: Settings, plugins: Plugins) -> list[str]:
    absent = sorted(set(settings.disabled) - set(plugins.disabled))
    return [f"disabled, but not installed: {', '.join(absent)}"] if absent else []


def _json(
    settings: Settings, metas: Mapping[str, PluginMeta], healths: Mapping[str, Health], notes: list[str]
) -> dict[str, object]:
    plugins = []
    for name, health in healths.items():
        meta = metas.get(name)
        plugins.append(
            {
                "name": name,
                "role": meta.role.value if meta is not None else None,
                "version": meta.version if meta is not None else None,
                "health": health.model_dump(mode="json"),
            }
        )
    return {
        "state": worst(*healths.values()).state,
        "name": settings.pulse_name,
        "config": str(settings.path),
        "pulse_root": str(settings.pulse_root),
        "plugins": plugins,
        "notes": notes,
    }


def _print(
    settings: Settings,
    metas: Mapping[str, PluginMeta],
    healths: Mapping[str, Health],
    notes: list[str],
    out: TextIO,
) -> None:
    print(f"{show.printable(settings.pulse_name)} is {worst(*healths.values()).state}", file=out)
    print(f"root    {settings.pulse_root}", file=out)
    print(f"config  {settings.path}\n", file=out)
    lines: list[show.Row] = []
    for name, health in healths.items():
        meta = metas.get(name)
        lines.extend(show.rows(name, health, f"{meta.role.value}, {meta.version}" if meta is not None else ""))
    show.table(lines, out)
    for note in notes:
        print(f"note: {show.printable(note)}", file=out)
    if NO_MEMORY in healths:
        print("install a plugin for the Memory role, or see above why the one you have cannot be used", file=out)
