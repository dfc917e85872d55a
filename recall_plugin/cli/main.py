"""`recall`: finds the command, and turns what goes wrong into a line on stderr and an exit code.

A hook runs this at every session event of somebody's day, so it loads the one command that was asked for, and nothing
else.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from recall_plugin.cli.door import Command, Context, tell, utf8_streams
from recall_plugin.errors import RecallError

# The name of each command, the module that holds it, and the line that `recall --help` shows.
COMMANDS = {
    "init": ("setup", "make a memory, and register its root"),
    "status": ("status", "what the memory holds and how it is"),
    "health": ("health", "healthy, degraded or down, with reasons"),
    "archive": ("archive", "archive a transcript or a conversation file"),
    "archive-session": ("archive_session", "archive the session of a hook's payload on stdin"),
    "checkpoint": ("checkpoint", "save the session of a hook's payload before a compaction"),
    "consume": ("consume", "print what a new session should know"),
    "search": ("search", "search the archives"),
    "config": ("config", "show the settings, or set one"),
    "graph": ("graph", "ask, show and change what is believed; `recall graph --help` lists its commands"),
    "rebuild": ("rebuild", "make the graph again from the journal and the archives"),
}

_EPILOG = """\
The pulse root is the home of one agent; its memory stands in ROOT/memory. It is found by --pulse-root, then by the
environment variable RECALL_PULSE_ROOT, then where `recall init` registered it. `recall COMMAND --help` tells more.

exit status: 0 done, 1 failed, 2 wrong usage, 3 not initialised, 4 the memory is held by another process
"""


def entry() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Runs one command; the exit code. Never raises for what a command reports as an error."""
    utf8_streams()
    root, rest = _leading_root(list(arguments))
    name = rest[0] if rest else ""
    if name not in COMMANDS:
        return _without_command(rest)
    if name == "graph":
        from recall_plugin.cli.graph.group import COMMANDS as GRAPH_COMMANDS

        later, rest = _leading_root(rest[1:])
        root = later if later is not None else root
        inner = rest[0] if rest else ""
        if inner not in GRAPH_COMMANDS:
            return _without_graph_command(rest, GRAPH_COMMANDS)
        name, module = f"graph {inner}", f"graph.{GRAPH_COMMANDS[inner][0]}"
    else:
        module = COMMANDS[name][0]
    try:
        command: Command = importlib.import_module(f"recall_plugin.cli.{module}").COMMAND
        options = command.parser(name).parse_args(rest[1:])
    except SystemExit as wrong:  # argparse has said what is wrong; with 2, a hook could cancel a compaction
        return 0 if command.is_hook else int(wrong.code or 0)
    except KeyboardInterrupt:
        tell(f"recall {name}: interrupted")
        return 130
    context = Context(options.pulse_root if options.pulse_root is not None else root, os.environ)
    try:
        return command.run(context, options)
    except RecallError as error:
        tell(f"recall {name}: {error}")
        return 0 if command.is_hook else error.exit_code
    except BrokenPipeError:  # `recall search … | head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        tell(f"recall {name}: interrupted")
        return 130
    except OSError as error:
        tell(f"recall {name}: {error}")
        return 0 if command.is_hook else 1
    except Exception as error:
        if not command.is_hook:
            raise
        tell(f"recall {name}: {type(error).__name__}: {error} (this is a bug in recall)")
        return 0  # a hook never costs the session (law 8)


def _leading_root(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The root given before the command, and the arguments without it."""
    for option in ("--pulse-root", "--entity-root"):
        if arguments[:1] == [option] and len(arguments) > 1:
            return arguments[1], arguments[2:]
        if arguments and arguments[0].startswith(f"{option}="):
            return arguments[0].partition("=")[2], arguments[1:]
    return None, arguments


def _without_graph_command(arguments: list[str], commands: dict[str, tuple[str, str]]) -> int:
    parser = argparse.ArgumentParser(
        prog="recall graph",
        usage="recall graph COMMAND [ARGUMENT ...]",
        description="What the memory believes, how surely, why, and from whom.",
        epilog=_listed(commands) + "\n\nexit status: as of `recall`; 4 where another process has the store open\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _, rest = parser.parse_known_args(arguments)
    if not rest:
        parser.print_help()
        return 0 if not arguments else 2
    tell(f"recall graph: unknown command {rest[0]!r}; `recall graph --help` lists the commands")
    return 2


def _listed(commands: dict[str, tuple[str, str]]) -> str:
    return "commands:\n" + "\n".join(f"  {name:<16} {line}" for name, (_, line) in commands.items())


def _without_command(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="recall",
        usage="recall [--pulse-root ROOT] COMMAND [ARGUMENT ...]",
        description="The memory of an agent: every session kept as text, searched, and told to the next one.",
        epilog=f"{_listed(COMMANDS)}\n\n{_EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pulse-root", metavar="ROOT", help="the root to work on")
    parser.add_argument("--version", action="store_true", help="print the version")
    known, rest = parser.parse_known_args(arguments)
    if known.version:
        from recall_plugin import __version__

        print(f"recall {__version__}")
        return 0
    if not rest:
        parser.print_help()
        return 0 if not arguments else 2
    tell(f"recall: unknown command {rest[0]!r}; `recall --help` lists the commands")
    return 2
