"""A config that cannot be trusted is refused, with file, key, line and reason; a good one is followed to the letter."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin import config
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import ConfigRefused, UsageError
from recall_plugin.files.config_file import load_config
from recall_plugin.memory.policy import settings

PATH = Path("/x/.recall-echo.toml")
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "configuration.md"


def write(layout: Layout, text: str | bytes, mode: int = 0o600) -> None:
    layout.config.write_bytes(text if isinstance(text, bytes) else text.encode())
    layout.config.chmod(mode)


def test_no_file_is_every_default(layout: Layout) -> None:
    assert load_config(layout.config) == config.Config()


def test_a_set_key_is_followed(layout: Layout) -> None:
    write(layout, "[ephemeral]\nmax_entries = 12\n")

    assert load_config(layout.config).ephemeral.max_entries == 12
    assert settings(layout).policy.window == 12


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "[ephemeral]\nmax_entries = 51\n",
            r"\.recall-echo\.toml:2: ephemeral\.max_entries: .*less than or equal to 50",
        ),
        ("[ephemeral]\nmax_entries = 0\n", r":2: ephemeral\.max_entries: .*greater than or equal to 1"),
        ('[ephemeral]\nmax_entries = "5"\n', r":2: ephemeral\.max_entries: .*integer"),
        ("[ephemeral]\nmax_entries = true\n", r":2: ephemeral\.max_entries: .*integer"),
        ("# mine\n\n[ephemeral]\nmax_entry = 5\n", r":4: ephemeral\.max_entry: unknown key; known keys: .*max_entries"),
        ("[extraction]\ncommand = 'rm -rf ~'\n", r":1: extraction: unknown key"),
        ("ephemeral.max_entries = 99\n", r":1: ephemeral\.max_entries: "),
        ("[ephemeral\n", r":1: not TOML"),
        ("a = 1\na = 2\n", r":2: not TOML"),
        ("[redaction]\nenabled = 0\n", r":2: redaction\.enabled: .*boolean"),
        ("ephemeral = 3\n", r":1: ephemeral: "),
        ("x = " + "[" * 5000, r"not TOML|nested too deeply"),
        ("[ephemeral]\nmax_entries = " + "9" * 10_000 + "\n", r"not TOML: Exceeds the limit"),
        (b"[ephemeral]\nx = '\xff'\n", r"not UTF-8 in line 2"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(layout: Layout, text: str | bytes, wanted: str) -> None:
    write(layout, text)

    with pytest.raises(ConfigRefused) as refused:
        load_config(layout.config)

    assert re.search(wanted, str(refused.value)), str(refused.value)
    assert str(layout.config) in str(refused.value)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_refused_with_its_mode(layout: Layout, mode: int) -> None:
    write(layout, "", mode)

    with pytest.raises(ConfigRefused, match=f"mode {mode:04o}"):
        load_config(layout.config)


def test_a_folder_that_others_can_write_is_refused_too(layout: Layout) -> None:
    write(layout, "")
    layout.memory.chmod(0o777)

    with pytest.raises(ConfigRefused, match="mode 0777"):
        load_config(layout.config)


def test_a_folder_or_a_huge_file_in_its_place_is_refused(layout: Layout) -> None:
    write(layout, "#" * (1 << 21))
    with pytest.raises(ConfigRefused, match="larger"):
        load_config(layout.config)
    layout.config.unlink()
    layout.config.mkdir()
    with pytest.raises(ConfigRefused, match="regular file"):
        load_config(layout.config)


def test_a_refused_config_still_captures_with_the_strictest_redaction(layout: Layout) -> None:
    write(layout, "[redaction]\nenabled = false\nother = 1\n")

    known = settings(layout)

    assert known.refused is not None
    assert "ghp_" not in known.policy.redact("token ghp_" + "aB3dE5" * 6)


def test_redaction_can_be_switched_off(layout: Layout) -> None:
    write(layout, "[redaction]\nenabled = false\n")

    assert settings(layout).policy.redact("password=hunter2hunter2") == "password=hunter2hunter2"


COMMENTED = "# keep me\n[ephemeral]  # and me\nmax_entries = 7 # seven\n"


def test_setting_a_key_keeps_comments_and_order() -> None:
    changed = config.changed(COMMENTED, "consume.max_chars", "4000", PATH)

    assert changed.startswith(COMMENTED)
    assert config.parse(changed, PATH).consume.max_chars == 4000
    assert config.parse(changed, PATH).ephemeral.max_entries == 7


def test_setting_a_key_again_changes_its_value_alone() -> None:
    assert config.changed(COMMENTED, "ephemeral.max_entries", "8", PATH) == COMMENTED.replace("7 #", "8 #")


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("ephemeral.max_entries", "99", "does not take 99"),
        ("ephemeral.max_entries", "many", "does not take many"),
        ("redaction.enabled", "maybe", "does not take maybe"),
        ("ephemeral.max_entries", "9" * 5000, "does not take"),
        ("ephemeral.nope", "1", "unknown key ephemeral.nope; known keys: ephemeral.max_entries"),
        ("ephemeral", "1", "unknown key"),
        ("", "1", "unknown key"),
    ],
)
def test_a_value_that_the_key_does_not_take_is_not_set(key: str, value: str, wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        config.changed(COMMENTED, key, value, PATH)


@given(st.text(max_size=40))
def test_no_text_makes_the_parser_raise_anything_else(text: str) -> None:
    with contextlib.suppress(ConfigRefused):
        config.parse(text, PATH)


@given(st.sampled_from(["ephemeral.max_entries", "archive.tool_text_chars", "redaction.enabled"]), st.text(max_size=10))
def test_no_value_breaks_the_file(key: str, value: str) -> None:
    try:
        changed = config.changed(COMMENTED, key, value, PATH)
    except UsageError:
        return
    config.parse(changed, PATH)


def test_every_key_is_documented_with_unit_range_and_default() -> None:
    documentation = DOCUMENTATION.read_text()

    for key in config.keys(config.Config()):
        default = str(key.default).lower() if isinstance(key.default, bool) else str(key.default)
        row = next((line for line in documentation.splitlines() if line.startswith(f"| `{key.name}` |")), "")
        assert key.unit in row, key.name
        assert (key.range or "true or false") in row, key.name
        assert f"| {default} |" in row, key.name
        assert key.description in row, key.name
