"""The family of errors.

HostError
├── UsageError       the call itself makes no sense, or lacks an answer
└── SettingsError    pulse.toml is missing, cannot be read, or cannot be written

`message` says what is wrong and where, `hint` what to do next. Only `main` turns one into a line and an exit code.
"""

from __future__ import annotations

from pathlib import Path


class HostError(Exception):
    """Something went wrong that the person can do something about."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UsageError(HostError):
    """The call itself makes no sense, or an answer is missing that nobody can be asked for."""

    exit_code = 2


class SettingsError(HostError):
    """pulse.toml is missing, cannot be read, does not say what it must, or cannot be written."""

    def __init__(self, path: Path, reason: str, *, line: int | None = None, hint: str = "") -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {reason}", hint=hint)
        self.path = path
        self.reason = reason
        self.line = line
