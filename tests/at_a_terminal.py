"""A command typed by a person: at a terminal of its own, and with none of the test's parents above it.

The tests themselves may be run by an agent, so the command is handed to a process whose parent has ended. Run as a
program, this module is that process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_PATIENCE_SECONDS = 60.0
_CHUNK = 1 << 16


def run_at_terminal(
    argv: Sequence[str | Path], environment: Mapping[str, str], cwd: Path, typed: str = ""
) -> tuple[int, str]:
    """The command has run with a terminal as stdin, stdout and stderr; its exit code, and what the terminal showed.

    environment: all of it. typed: what the person types, with a newline after each answer; the terminal shows it, too.
    The code of a command that a signal killed is negative, as in `subprocess`. Raises TimeoutError after a minute.
    """
    terminal, of_command = pty.openpty()
    report, of_relay = os.pipe()
    words = [sys.executable, __file__, of_command, of_relay, *argv]
    try:
        try:
            subprocess.run(
                [str(word) for word in words], env=environment, cwd=cwd, check=True, pass_fds=(of_command, of_relay)
            )
        finally:
            os.close(of_command)
            os.close(of_relay)
        os.write(terminal, typed.encode())
        shown, told = _read_both(terminal, report)
    finally:
        os.close(terminal)
        os.close(report)
    return int(told.split()[1]), shown.decode(errors="replace").replace("\r\n", "\n")


def _read_both(terminal: int, report: int) -> tuple[bytes, bytes]:
    until = time.monotonic() + _PATIENCE_SECONDS
    read = {terminal: b"", report: b""}
    still_open = {terminal, report}
    while still_open:
        ready, _, _ = select.select(list(still_open), [], [], max(until - time.monotonic(), 0))
        if not ready:
            os.killpg(int(read[report].split()[0]), signal.SIGKILL)
            raise TimeoutError(f"still running; the terminal shows {read[terminal]!r}")
        for descriptor in ready:
            chunk = _read(descriptor)
            read[descriptor] += chunk
            if not chunk:
                still_open.remove(descriptor)
    return read[terminal], read[report]


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError as error:
        if error.errno != errno.EIO:  # what Linux answers when nobody has the terminal open any more
            raise
        return b""


def _relay(terminal: int, report: int, argv: list[str]) -> None:
    """Told on `report`: the number of the process group, and the exit code when the command has ended."""
    launcher = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == launcher:
        time.sleep(0.001)
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    os.write(report, f"{os.getpid()} ".encode())
    code = subprocess.call(argv, stdin=terminal, stdout=terminal, stderr=terminal)
    os.write(report, str(code).encode())


if __name__ == "__main__":
    _relay(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
