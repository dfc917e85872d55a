"""`.recall-echo.toml`: what may be set.

A file that cannot be read, holds an unknown key or a value out of range, or may be written by others is refused as a
whole.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from recall_plugin.domain import defaults
from recall_plugin.errors import ConfigRefused, UsageError

_PARSER_LINE = re.compile(r" \(at line (\d+), column \d+\)")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class EphemeralConfig(_Section):
    """Layer 2."""

    max_entries: int = Field(
        defaults.EPHEMERAL_ENTRIES, ge=1, le=50, description="Sessions that EPHEMERAL.md holds.", title="sessions"
    )


class ArchiveConfig(_Section):
    """Layer 3."""

    tool_text_chars: int = Field(
        defaults.TOOL_TEXT_CHARS,
        ge=0,
        le=10_000_000,
        title="characters",
        description="How much of each tool's output an archive keeps; a mark stands for the middle of a longer one.",
    )


class RedactionConfig(_Section):
    """Secrets."""

    enabled: bool = Field(
        True,
        description="Whether keys, tokens and private keys are masked before anything is written.",
        title="true or false",
    )


class ConsumeConfig(_Section):
    """What is put in front of a new session."""

    max_chars: int = Field(
        defaults.CONSUME_CHARS,
        ge=1000,
        le=1_000_000,
        title="characters",
        description="Length of what `recall consume` prints; the oldest is left out first, with a mark.",
    )


class Config(_Section):
    """The whole file. Every key has a default, so that no file is a valid config."""

    ephemeral: EphemeralConfig = EphemeralConfig()
    archive: ArchiveConfig = ArchiveConfig()
    redaction: RedactionConfig = RedactionConfig()
    consume: ConsumeConfig = ConsumeConfig()


class Key(BaseModel):
    """One setting, as `config show` and the documentation present it. range: empty where any value will do."""

    model_config = ConfigDict(frozen=True)

    name: str
    value: Any
    default: Any
    unit: str
    range: str
    description: str


def parse(text: str, path: Path) -> Config:
    """The config that `text` holds. path: the file it came from, for what an error says. Raises ConfigRefused."""
    try:
        return Config.model_validate(_loads(text))
    except tomllib.TOMLDecodeError as error:
        found = _PARSER_LINE.search(str(error))
        reason = f"not TOML: {_PARSER_LINE.sub('', str(error))}"
        raise ConfigRefused(path, reason, line=int(found.group(1)) if found else None) from error
    except RecursionError as error:
        raise ConfigRefused(path, "nested too deeply") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        known = ", ".join(name for name, _, _ in _fields(Config))
        if first["type"] == "extra_forbidden":
            raise ConfigRefused(
                path, "unknown key", key=key, line=_line_of(text, key), hint=f"known keys: {known}"
            ) from error
        raise ConfigRefused(path, str(first["msg"]).lower(), key=key, line=_line_of(text, key)) from error


def keys(config: Config) -> list[Key]:
    """Every setting there is, with the value that `config` gives it."""
    return [
        Key(
            name=name,
            value=_value_at(config, name),
            default=field["default"],
            unit=field["unit"],
            range=field["range"],
            description=field["description"],
        )
        for name, _, field in _fields(Config)
    ]


def changed(text: str, name: str, value: str, path: Path) -> str:
    """The config file `text` with key `name` set to `value`, the user's comments and order kept.

    value: as one writes it in TOML; text needs no quotes. Raises UsageError for an unknown key or a value that the key
    does not take, ConfigRefused where the file is refused as it stands.
    """
    import tomlkit  # noqa: PLC0415 (only this needs it, and `config` is imported by hooks)
    from tomlkit.items import Table  # noqa: PLC0415

    parse(text, path)
    if name not in {known for known, _, _ in _fields(Config)}:
        known = ", ".join(known for known, _, _ in _fields(Config))
        raise UsageError(f"unknown key {name}", hint=f"known keys: {known}")
    document = tomlkit.parse(text)
    section, _, key = name.rpartition(".")
    table = document.setdefault(section, tomlkit.table())
    if not isinstance(table, Table):
        raise UsageError(
            f"[{section}] is not written as a table in {path}", hint="write it as one, and set the key again"
        )
    table[key] = _literal(value)
    after = tomlkit.dumps(document)
    try:
        parse(after, path)
    except ConfigRefused as error:
        raise UsageError(f"{name} does not take {value}: {error.reason}") from error
    return after


def _literal(value: str) -> object:
    try:
        return _loads(f"value = {value}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return value


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # Python refuses a number of more than 4300 digits
        raise tomllib.TOMLDecodeError(str(error)) from error


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, type[BaseModel], dict[str, Any]]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _fields(field.annotation, f"{prefix}{name}.")
        else:
            bounds = {type(constraint).__name__: constraint for constraint in field.metadata}
            low, high = getattr(bounds.get("Ge"), "ge", None), getattr(bounds.get("Le"), "le", None)
            yield (
                f"{prefix}{name}",
                model,
                {
                    "default": field.default,
                    "unit": field.title or "",
                    "range": f"{low} to {high}" if low is not None and high is not None else "",
                    "description": field.description or "",
                },
            )


def _value_at(config: Config, name: str) -> object:
    value: object = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _line_of(text: str, key: str) -> int | None:
    """The line of the file that sets `key` or opens its table, as far as the usual way of writing TOML tells."""
    wanted_table, _, wanted = key.rpartition(".")
    table, opened = "", None
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        if header:
            table = header.group(1).replace('"', "").replace(" ", "")
            opened = number if table == key and opened is None else opened
            continue
        name = line.partition("=")[0].strip().replace('"', "")
        if (table == wanted_table and name == wanted) or (not table and name == key):
            return number
    return opened
