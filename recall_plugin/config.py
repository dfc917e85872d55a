"""`.recall-echo.toml`: what may be set.

A file that cannot be read, holds an unknown key or a value out of range, or may be written by others is refused as a
whole.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from recall_plugin.domain import defaults
from recall_plugin.domain.belief.decay import HALF_LIFE_DAYS
from recall_plugin.domain.belief.provenance import ProvenanceWeights
from recall_plugin.domain.scoring import HOTNESS_HALF_LIFE_DAYS, ScoringWeights
from recall_plugin.errors import ConfigRefused, UsageError

_PARSER_LINE = re.compile(r" \(at line (\d+), column \d+\)")
_LARGEST_WEIGHT = 1000
_LONGEST_HALF_LIFE_DAYS = 36_500
_EVIDENCE = ProvenanceWeights()
_SCORE = ScoringWeights()


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


class ProvenanceConfig(_Section):
    """What a word weighs, by who said it."""

    weight_external: float = Field(
        _EVIDENCE.external,
        ge=0,
        le=_LARGEST_WEIGHT,
        allow_inf_nan=False,
        title="observations",
        description="What a word of an independent source adds to the evidence.",
    )
    weight_user: float = Field(
        _EVIDENCE.user,
        ge=0,
        le=_LARGEST_WEIGHT,
        allow_inf_nan=False,
        title="observations",
        description="What a person's word adds to the evidence.",
    )
    weight_self: float = Field(
        _EVIDENCE.self_,
        ge=0,
        le=_LARGEST_WEIGHT,
        allow_inf_nan=False,
        title="observations",
        description="What the agent's own word adds to the evidence.",
    )

    @property
    def weights(self) -> ProvenanceWeights:
        """The weights as belief takes them."""
        return ProvenanceWeights(self.weight_external, self.weight_user, self.weight_self)


class OriginsConfig(_Section):
    """What counts as one source."""

    self_: Literal["origin", "session"] = Field(
        "origin",
        alias="self",
        title="rule",
        description="Whether the agent's word counts once per relation and stance for ever, or once in each session.",
    )


class ScoringConfig(_Section):
    """What ranks a search's results."""

    semantic: float = Field(
        _SCORE.semantic,
        ge=0,
        le=1,
        allow_inf_nan=False,
        title="share",
        description="How much likeness of meaning counts in a rank.",
    )
    hotness: float = Field(
        _SCORE.hotness,
        ge=0,
        le=1,
        allow_inf_nan=False,
        title="share",
        description="How much frequent and recent use counts in a rank.",
    )
    utility: float = Field(
        _SCORE.utility,
        ge=0,
        le=1,
        allow_inf_nan=False,
        title="share",
        description="How much former good outcomes count in a rank.",
    )

    @property
    def weights(self) -> ScoringWeights:
        """The weights as scoring takes them."""
        return ScoringWeights(self.semantic, self.hotness, self.utility)


class DecayConfig(_Section):
    """What fades, and how fast."""

    confidence_half_life_days: float = Field(
        HALF_LIFE_DAYS,
        gt=0,
        le=_LONGEST_HALF_LIFE_DAYS,
        allow_inf_nan=False,
        title="days",
        description="After how long without a new confirmation half of a confidence is left.",
    )
    hotness_half_life_days: float = Field(
        HOTNESS_HALF_LIFE_DAYS,
        gt=0,
        le=_LONGEST_HALF_LIFE_DAYS,
        allow_inf_nan=False,
        title="days",
        description="After how long without use half of an entity's hotness is left.",
    )


class EmbeddingConfig(_Section):
    """How texts become vectors."""

    model: str = Field(
        defaults.EMBEDDING_MODEL,
        min_length=1,
        max_length=200,
        title="name",
        description="The model that embeds; another one means that every text is embedded again.",
    )
    threads: int = Field(
        defaults.EMBEDDING_THREADS,
        ge=0,
        le=64,
        title="threads",
        description="How many threads the model uses; 0: as many as the machine has, at most 4.",
    )


class GraphConfig(_Section):
    """Layer 0."""

    store_patience_secs: float = Field(
        defaults.STORE_PATIENCE_SECONDS,
        ge=0,
        le=600,
        allow_inf_nan=False,
        title="seconds",
        description="How long a command waits for a store that another process holds.",
    )
    provenance: ProvenanceConfig = ProvenanceConfig()
    origins: OriginsConfig = OriginsConfig()
    scoring: ScoringConfig = ScoringConfig()
    decay: DecayConfig = DecayConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()


# What decides how much a word weighs, how fast it fades, and whether secrets are masked is not the agent's to decide.
_SECTIONS_OF_A_PERSON = ("graph.provenance.", "graph.origins.", "graph.decay.", "redaction.")


class Config(_Section):
    """The whole file. Every key has a default, so that no file is a valid config."""

    ephemeral: EphemeralConfig = EphemeralConfig()
    archive: ArchiveConfig = ArchiveConfig()
    redaction: RedactionConfig = RedactionConfig()
    consume: ConsumeConfig = ConsumeConfig()
    graph: GraphConfig = GraphConfig()


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
        if first["type"] == "extra_forbidden":
            hint = f"known keys: {', '.join(_names())}"
            raise ConfigRefused(path, "unknown key", key=key, line=_line_of(text, key), hint=hint) from error
        raise ConfigRefused(path, str(first["msg"]).lower(), key=key, line=_line_of(text, key)) from error


def keys(config: Config) -> list[Key]:
    """Every setting there is, with the value that `config` gives it."""
    return [
        Key(
            name=setting.name,
            value=setting.value_in(config),
            default=setting.field.default,
            unit=setting.field.title or "",
            range=_range_of(setting.field),
            description=setting.field.description or "",
        )
        for setting in _settings(Config)
    ]


def takes_a_person(name: str) -> bool:
    """Whether only a person may set the key `name`: what decides about belief, and about secrets (law 11)."""
    return name.startswith(_SECTIONS_OF_A_PERSON)


def changed(text: str, name: str, value: str, path: Path) -> str:
    """The config file `text` with key `name` set to `value`, the user's comments and order kept.

    value: as one writes it in TOML; text needs no quotes. Raises UsageError for an unknown key, a value that the key
    does not take, or a file written so that the key has no place in it; ConfigRefused where the file is refused as it
    stands.
    """
    parse(text, path)
    if name not in _names():
        raise UsageError(f"unknown key {name}", hint=f"known keys: {', '.join(_names())}")
    if "\n" in value or "\r" in value:
        raise UsageError(f"{name} takes one line", hint="a second setting is set by itself")
    literal = _literal(value)
    after = _with(text, name, literal)
    try:
        parse(after, path)
    except ConfigRefused as error:
        raise UsageError(f"{name} does not take {value}: {error.reason}") from error
    if _loads(after) != _set(_loads(text), name, literal):
        raise UsageError(f"{name} cannot be set in {path} as it is written", hint="edit the file instead")
    return after


def _with(text: str, name: str, value: object) -> str:
    import tomlkit  # noqa: PLC0415 (only this needs it, and `config` is imported by hooks)
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415 (with it)
    from tomlkit.items import InlineTable  # noqa: PLC0415 (with it)

    *sections, key = name.split(".")
    try:
        document = tomlkit.parse(text)
        table: MutableMapping[str, Any] = document
        for place, section in enumerate(sections, 1):
            if section not in table:
                inline = isinstance(table, InlineTable)
                table[section] = tomlkit.inline_table() if inline else tomlkit.table(place < len(sections))
            table = table[section]
        table[key] = value
        return tomlkit.dumps(document)
    except (TOMLKitError, ValueError):
        return text


def _set(tables: dict[str, Any], name: str, value: object) -> dict[str, Any]:
    *sections, key = name.split(".")
    table = tables
    for section in sections:
        table = table.setdefault(section, {})
    table[key] = value
    return tables


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


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting's dotted name, where it stands in the model, and what the model says of it."""

    name: str
    attributes: tuple[str, ...]
    field: FieldInfo

    def value_in(self, config: Config) -> object:
        value: object = config
        for attribute in self.attributes:
            value = getattr(value, attribute)
        return value


def _settings(model: type[BaseModel], prefix: str = "", within: tuple[str, ...] = ()) -> Iterator[_Setting]:
    for attribute, field in model.model_fields.items():
        name = f"{prefix}{field.alias or attribute}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _settings(field.annotation, f"{name}.", (*within, attribute))
        else:
            yield _Setting(name, (*within, attribute), field)


def _names() -> list[str]:
    return [setting.name for setting in _settings(Config)]


def _range_of(field: FieldInfo) -> str:
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    if choices:
        return " or ".join(choices)
    bounds = {
        name: getattr(constraint, name)
        for constraint in field.metadata
        for name in ("ge", "gt", "le", "min_length", "max_length")
        if hasattr(constraint, name)
    }
    match bounds:
        case {"ge": low, "le": high}:
            return f"{low} to {high}"
        case {"gt": low, "le": high}:
            return f"above {low}, up to {high}"
        case {"min_length": low, "max_length": high}:
            return f"{low} to {high} characters"
    return ""


def _line_of(text: str, key: str) -> int | None:
    """The line of the file that sets `key` or opens its table, as far as the usual way of writing TOML tells.

    Else a line that sets something within `key` or, for an inline table, something around it.
    """
    table = ""
    places: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        if header:
            table = name = _bare(header.group(1))
        elif "=" in line and not line.lstrip().startswith("#"):
            written = _bare(line.partition("=")[0])
            name = f"{table}.{written}" if table else written
        else:
            continue
        places.setdefault(name, number)
    within = (number for name, number in places.items() if name.startswith(f"{key}."))
    around = [name for name in places if key.startswith(f"{name}.")]
    return places.get(key) or next(within, None) or (places[max(around, key=len)] if around else None)


def _bare(name: str) -> str:
    return re.sub(r"[\s\"']", "", name)
