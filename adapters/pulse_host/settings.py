"""`pulse.toml`: what a pulse is called, where it lives, and what its plugins were told.

    name = "ada"
    pulse_root = "/home/ada/pulse"      # `entity_root` in older files
    disabled = ["old-memory"]           # installed plugins that this pulse leaves out

    [plugins.recall]                    # the section of one plugin; what stands in it is the plugin's business
    llm = false

Other keys are left alone. Reading never writes; writing only adds.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from tempfile import mkstemp
from typing import cast

from pulse_host.errors import SettingsError

FILE_NAME = "pulse.toml"
OLDER_ROOT_KEY = "entity_root"


@dataclass(frozen=True)
class Settings:
    """What one pulse.toml says.

    path: the file, absolute.
    source: its bytes; None where there is no file yet.
    name: what the pulse is called; None where the file does not say.
    pulse_root: absolute; None where the file does not say.
    disabled: the plugins to leave out.
    sections: each plugin's section, by the plugin's name.
    """

    path: Path
    source: bytes | None = None
    name: str | None = None
    pulse_root: Path | None = None
    disabled: tuple[str, ...] = ()
    sections: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @property
    def pulse_name(self) -> str:
        """The name, or that of the folder."""
        return self.name or self.path.parent.name or "pulse"

    def existing_root(self) -> Path:
        """The pulse root, which is a folder that exists; else SettingsError."""
        hint = f"run `pulse init {self.path.parent}`"
        if self.pulse_root is None:
            raise SettingsError(self.path, "says no pulse_root", hint=hint)
        if not self.pulse_root.exists():
            raise SettingsError(self.path, f"the pulse root {self.pulse_root} does not exist", hint=hint)
        if not self.pulse_root.is_dir():
            raise SettingsError(self.path, f"the pulse root {self.pulse_root} is not a folder", hint="move it away")
        return self.pulse_root


def find(folder: Path | None = None, file: Path | None = None) -> Settings:
    """The settings in `file`, else in `folder`, else in the current folder or the nearest above it that has some."""
    if file is not None:
        path = file
    elif folder is not None:
        path = folder / FILE_NAME
    else:
        here = Path.cwd()
        found = (above / FILE_NAME for above in (here, *here.parents) if (above / FILE_NAME).is_file())
        path = next(found, here / FILE_NAME)
    settings = read(path)
    if settings.source is None:
        where = "" if file is not None or folder is not None else " (nor in any folder above)"
        hint = f"set a pulse up with `pulse init {path.parent}`, or name one with --dir or --config"
        raise SettingsError(path, f"there is no such file{where}", hint=hint)
    return settings


def read(path: Path) -> Settings:
    """What `path` says; empty settings where there is no file. Raises SettingsError for one that is not in order."""
    path = path.absolute()
    try:
        if path.exists() and not path.is_file():  # a fifo would block, and a device has no end
            raise SettingsError(path, "is not a regular file", hint="move it away")
        source = path.read_bytes()
    except FileNotFoundError:
        return Settings(path)
    except OSError as error:
        raise SettingsError(path, f"cannot be read: {error.strerror or error}") from None
    text = _decode(path, source)
    try:
        document = tomllib.loads(text)
    except ValueError as error:  # not TOML, or a number of more than 4300 digits, which Python refuses
        raise _broken(path, text, str(error)) from None
    except RecursionError:
        raise _broken(path, text, "nested too deeply") from None
    return Settings(
        path=path,
        source=source,
        name=_text(path, text, document, "name"),
        pulse_root=_root(path, text, document),
        disabled=_disabled(path, text, document),
        sections=_sections(path, text, document),
    )


def write(
    settings: Settings, top: Mapping[str, object], sections: Mapping[str, Mapping[str, object]], *, fresh: str = ""
) -> None:
    """pulse.toml holds `top` and `sections` beside what it held before; mode 0600, whole or not at all.

    settings: what was read before; a file that has changed since is left alone. The keys are new, no section is empty.
    fresh: a comment for the top of a new file, without `#`.
    """
    target = Path(os.path.realpath(settings.path))
    text = _merged(settings, top, sections, fresh)
    temporary: Path | None = None
    try:
        settings.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _private_file(target.parent, text.encode())
        if (target.read_bytes() if target.exists() else None) != settings.source:
            hint = "nothing was written; run `pulse init` again"
            raise SettingsError(settings.path, "was changed by somebody else meanwhile", hint=hint)
        temporary.replace(target)
    except OSError as error:
        raise SettingsError(settings.path, f"cannot be written: {error.strerror or error}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _merged(
    settings: Settings, top: Mapping[str, object], sections: Mapping[str, Mapping[str, object]], fresh: str
) -> str:
    """The text of the file with the new keys in it. tomlkit keeps comments and layout; that it is right is proved."""
    before = _decode(settings.path, settings.source or b"")
    after = {**tomllib.loads(before), **top}
    if sections:
        known = cast(dict[str, dict[str, object]], after.get("plugins", {}))
        after["plugins"] = {**known, **{name: {**known.get(name, {}), **sections[name]} for name in sections}}
    try:
        text = _edited(before, top, sections, fresh if settings.source is None else "")
        proved = tomllib.loads(text) == after
    except (ValueError, TypeError):
        proved = False
    if not proved:
        reason = "is laid out in a way that new keys cannot be added to safely"
        hint = f"add them by hand: {', '.join([*top, *(f'[plugins.{name}]' for name in sections)])}"
        raise SettingsError(settings.path, reason, hint=hint)
    return text


def _edited(before: str, top: Mapping[str, object], sections: Mapping[str, Mapping[str, object]], comment: str) -> str:
    """What tomlkit makes of it. Raises ValueError or TypeError where it does not cope."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import AbstractTable

    try:
        document = tomlkit.parse(before)
        if comment:
            document.add(tomlkit.comment(comment))
        document.update(top)
        for name, values in sections.items():
            plugins = document.setdefault("plugins", tomlkit.table(is_super_table=True))
            cast(AbstractTable, plugins.setdefault(name, tomlkit.table())).update(values)
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ValueError(str(error)) from None


def _private_file(folder: Path, data: bytes) -> Path:
    """A new file in `folder` holds `data`, on disk, for its owner only."""
    descriptor, name = mkstemp(prefix=f".{FILE_NAME}.", dir=folder)  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _decode(path: Path, source: bytes) -> str:
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise SettingsError(path, "is not UTF-8", line=line, hint="mend that line; nothing was changed") from None


def _broken(path: Path, text: str, complaint: str) -> SettingsError:
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", complaint)
    reason = complaint[: place.start()] if place else complaint
    line = int(place[1]) if place and place[1] else max(1, len(text.splitlines()))
    return SettingsError(path, f"is not TOML: {reason}", line=line, hint="mend that line; nothing was changed")


def _wrong(path: Path, text: str, key: str, expected: str) -> SettingsError:
    found = re.search(rf"^[ \t]*\[?[ \t]*[\"']?{re.escape(key)}\b", text, flags=re.MULTILINE)
    line = text.count("\n", 0, found.start()) + 1 if found else None
    return SettingsError(path, f"{key} must be {expected}", line=line, hint="mend that line; nothing was changed")


def _text(path: Path, text: str, document: Mapping[str, object], key: str) -> str | None:
    value = document.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _wrong(path, text, key, "text in quotes, and not empty")
    return value


def _root(path: Path, text: str, document: Mapping[str, object]) -> Path | None:
    roots: dict[str, Path] = {}
    for key in ("pulse_root", OLDER_ROOT_KEY):
        value = _text(path, text, document, key)
        if value is not None:
            try:
                roots[key] = absolute(value, path.parent)
            except ValueError as error:
                raise _wrong(path, text, key, f"a path: {error}") from None
    if len(set(roots.values())) > 1:
        raise _wrong(path, text, OLDER_ROOT_KEY, "the same folder as pulse_root, whose older name it is, or go")
    return next(iter(roots.values()), None)


def _disabled(path: Path, text: str, document: Mapping[str, object]) -> tuple[str, ...]:
    names = document.get("disabled", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _wrong(path, text, "disabled", 'a list of plugin names, for example ["old-memory"]')
    return tuple(names)


def _sections(path: Path, text: str, document: Mapping[str, object]) -> dict[str, dict[str, object]]:
    plugins = document.get("plugins", {})
    if not isinstance(plugins, dict):
        raise _wrong(path, text, "plugins", "a table with one section for each plugin: [plugins.recall]")
    for name, section in plugins.items():
        if not isinstance(section, dict):
            raise _wrong(path, text, name, f"a section: [plugins.{name}]")
    return {name: cast(dict[str, object], _plain(section)) for name, section in plugins.items()}


def _plain(value: object) -> object:
    """`value` with TOML's dates and times as ISO 8601 text, so that a plugin meets values that JSON has too."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else value


def absolute(text: str, folder: Path) -> Path:
    """The path that `text` names: `~` resolved, and relative to `folder`. Raises ValueError where it names none."""
    try:
        return Path(os.path.abspath(folder / Path(text).expanduser()))  # noqa: PTH100  (`resolve` would follow links)
    except RuntimeError:
        raise ValueError(f"there is no home folder for {text!r}") from None
