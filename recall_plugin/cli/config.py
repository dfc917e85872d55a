"""`recall config`."""

from __future__ import annotations

import argparse

from recall_plugin.cli.door import Command, Context, print_json, tell
from recall_plugin.domain.layout import Layout
from recall_plugin.files import layers
from recall_plugin.files.atomic import write_atomic

_DETAILS = """\
The settings stand in ROOT/memory/.recall-echo.toml; without that file every default holds. A file with an unknown key,
a value out of range, or one that others can write is refused as a whole. Setting a key keeps the file's comments and
order. What decides about belief (graph.provenance, graph.origins, graph.decay) and about secrets (redaction) is set by
a person at a terminal only.

  recall config show
  recall config set ephemeral.max_entries 10
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="show|set")
    show = actions.add_parser("show", help="print every setting with its unit, range and default")
    show.add_argument("--json", action="store_true", help="print JSON")
    change = actions.add_parser("set", help="set one key")
    change.add_argument("key", metavar="KEY", help="such as ephemeral.max_entries")
    change.add_argument("value", metavar="VALUE", help="as one writes it in TOML; text needs no quotes")


def _run(context: Context, options: argparse.Namespace) -> int:
    layout = context.layout()
    if options.action == "show":
        return _show(layout, as_json=options.json)
    return _set(context, layout, options.key, options.value)


def _show(layout: Layout, *, as_json: bool) -> int:
    from recall_plugin import config
    from recall_plugin.files.config_file import load_config

    keys = config.keys(load_config(layout.config))
    if as_json:
        print_json({"path": str(layout.config), "settings": [key.model_dump() for key in keys]})
        return 0
    state = "" if layout.config.exists() else " (no such file: every default holds)"
    print(f"# {layout.config}{state}")
    for key in keys:
        limits = f", {key.range}" if key.range else ""
        print(
            f"{key.name} = {_toml(key.value)}\n    {key.description} ({key.unit}{limits}; default {_toml(key.default)})"
        )
    return 0


def _set(context: Context, layout: Layout, key: str, value: str) -> int:
    from recall_plugin import config
    from recall_plugin.cli.actor import find_actor
    from recall_plugin.files.config_file import read_config

    if config.takes_a_person(key):
        find_actor(context.environment).demand_person(f"setting {key}", otherwise=f"edit {layout.config}")
    with layers.locked(layout):
        text = read_config(layout.config)
        write_atomic(layout.config, config.changed(text, key, value, layout.config).encode())
    tell(f"{key} is set in {layout.config}")
    return 0


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


COMMAND = Command("Show the settings, or set one.", _run, _DETAILS, _configure)
