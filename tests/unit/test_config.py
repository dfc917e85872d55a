"""A config that cannot be trusted is refused, with file, key, line and reason; a good one is followed to the letter."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin import config
from recall_plugin.domain.belief.provenance import ProvenanceWeights
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.scoring import ScoringWeights
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
        (
            "[graph.provenance]\n\nweight_self = -0.1\n",
            r":3: graph\.provenance\.weight_self: .*greater than or equal to 0",
        ),
        ("[graph.provenance]\nweight_user = nan\n", r":2: graph\.provenance\.weight_user: .*finite number"),
        ("[graph.provenance]\nweight_user = inf\n", r":2: graph\.provenance\.weight_user: .*finite number"),
        ("[graph.provenance]\nweight_user = true\n", r":2: graph\.provenance\.weight_user: .*valid number"),
        ("[graph.provenance]\nweight_user = '1'\n", r":2: graph\.provenance\.weight_user: .*valid number"),
        ("[graph.provenance]\nweight_external = 1001\n", r":2: .*weight_external: .*less than or equal to 1000"),
        ("[graph]\nprovenance.weight_self = -1\n", r":2: graph\.provenance\.weight_self: "),
        ("[consume]\n[graph]\nscoring = { utility = 2 }\n", r":3: graph\.scoring\.utility: .*less than or equal to 1"),
        ("\ngraph . 'decay'.hotness_half_life_days = 0\n", r":2: .*hotness_half_life_days: .*greater than 0"),
        ("[graph.decay]\nconfidence_half_life_days = -inf\n", r":2: graph\.decay\.confidence_half_life_days: .*finite"),
        ("[ graph . \"origins\" ]\nself = 'never'\n", r":2: graph\.origins\.self: .*'origin' or 'session'"),
        (
            "[graph.origins]\nself_ = 'origin'\n",
            r":2: graph\.origins\.self_: unknown key; known keys: .*origins\.self,",
        ),
        ("[graph.embedding]\nmodel = ''\nthreads = 0\n", r":2: graph\.embedding\.model: .*at least 1 character"),
        ("[graph.embedding]\nthreads = 1.0\n", r":2: graph\.embedding\.threads: .*integer"),
        ("[graph]\n# provenances.x = 1\n[graph.provenances]\n", r":3: graph\.provenances: unknown key"),
        ("[graph]\n\n[graph.a.b]\nc = 1\n", r":3: graph\.a: unknown key"),
        ("[graph]\nstore_patience_secs = -1\n", r":2: graph\.store_patience_secs: "),
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


@pytest.mark.parametrize(
    "text",
    [
        "[graph.provenance]\nweight_external = 2\nweight_self = 0\n[graph.origins]\nself = 'session'\n",
        "[graph]\nprovenance.weight_external = 2\nprovenance.weight_self = 0.0\norigins.self = 'session'\n",
        "graph.provenance = { weight_external = 2.0, weight_self = 0 }\ngraph.origins.self = 'session'\n",
    ],
)
def test_a_table_within_a_table_is_followed_however_it_is_written(text: str) -> None:
    graph = config.parse(text, PATH).graph

    assert graph.provenance.weights == ProvenanceWeights(2.0, 0.8, 0.0)
    assert type(graph.provenance.weight_external) is float
    assert graph.origins.self_ == "session"


def test_the_graph_s_defaults_are_those_of_the_formulas() -> None:
    graph = config.Config().graph

    assert graph.provenance.weights == ProvenanceWeights() == ProvenanceWeights(1.0, 0.8, 0.05)
    assert graph.scoring.weights == ScoringWeights() == ScoringWeights(0.45, 0.30, 0.25)
    assert (graph.decay.confidence_half_life_days, graph.decay.hotness_half_life_days) == (90.0, 7.0)


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


LAYOUTS = [
    "",
    COMMENTED,
    "# c\n[graph.provenance] # t\nweight_user = 0.5 # u\n\n[consume]\nmax_chars = 2000 # end\n",
    "[graph]  # g\nprovenance.weight_user = 0.5 # u\n",
    "graph.provenance.weight_user = 0.5 # u\n",
    "graph = { provenance = { weight_user = 0.5 } } # inline\n",
    "[graph]\nprovenance = { weight_user = 0.5 } # inline\n",
    "[graph.decay] # d\n[consume] # c\n[graph.origins] # o\nself = 'session' # s\n# end\n",
    "[graph.decay]\n\n[graph] # late\nstore_patience_secs = 2 # p\n",
]


@pytest.mark.parametrize("text", LAYOUTS)
@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("graph.provenance.weight_self", "0.1", 0.1),
        ("graph.provenance.weight_user", "1", 1),
        ("graph.store_patience_secs", "0.5", 0.5),
        ("graph.origins.self", "origin", "origin"),
        ("graph.embedding.model", "a # b", "a # b"),
    ],
)
def test_a_nested_key_is_set_in_any_file_with_every_comment_and_every_other_value_kept(
    text: str, key: str, value: str, wanted: object
) -> None:
    changed = config.changed(text, key, value, PATH)

    before, after = ({one.name: one.value for one in config.keys(config.parse(file, PATH))} for file in (text, changed))
    assert after == {**before, key: wanted}
    assert [name in changed for name in key.split(".")] == [True] * len(key.split("."))
    assert all(comment in changed for comment in re.findall(r"# .*", text))
    assert config.changed(changed, key, value, PATH) == changed


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("ephemeral.max_entries", "99", "does not take 99"),
        ("ephemeral.max_entries", "many", "does not take many"),
        ("redaction.enabled", "maybe", "does not take maybe"),
        ("ephemeral.max_entries", "9" * 5000, "does not take"),
        ("graph.provenance.weight_self", "nan", "does not take nan: .*finite"),
        ("graph.provenance.weight_self", "-1", "does not take -1"),
        ("graph.provenance.weight_self", "true", "does not take true"),
        ("graph.origins.self", "never", "does not take never: .*'origin' or 'session'"),
        ("graph.provenance", "1", "unknown key graph.provenance"),
        ("graph.origins.self_", "origin", "unknown key"),
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


@given(
    st.sampled_from([key.name for key in config.keys(config.Config())]),
    st.one_of(st.text(max_size=10), st.floats().map(repr), st.integers().map(str), st.booleans().map(json.dumps)),
    st.sampled_from(LAYOUTS),
)
def test_no_value_breaks_the_file_or_changes_another_key(key: str, value: str, text: str) -> None:
    try:
        changed = config.changed(text, key, value, PATH)
    except UsageError:
        return
    others = [
        {one.name: one.value for one in config.keys(config.parse(file, PATH)) if one.name != key}
        for file in (text, changed)
    ]

    assert others[0] == others[1]


@pytest.mark.parametrize(
    ("key", "person_only"),
    [
        ("graph.provenance.weight_self", True),
        ("graph.origins.self", True),
        ("graph.scoring.semantic", False),
        ("graph.decay.confidence_half_life_days", True),
        ("redaction.enabled", True),
        ("ephemeral.max_entries", False),
    ],
)
def test_what_a_word_weighs_takes_a_person(key: str, person_only: bool) -> None:
    assert config.takes_a_person(key) is person_only


def test_a_setting_of_few_words_shows_them_as_its_range() -> None:
    ranges = {key.name: key.range for key in config.keys(config.Config())}

    assert ranges["graph.origins.self"] == "origin or session"
    assert ranges["graph.provenance.weight_self"] == "0 to 1000"
    assert ranges["graph.decay.hotness_half_life_days"] == "above 0, up to 36500"


def test_every_key_is_documented_with_unit_range_and_default() -> None:
    documentation = DOCUMENTATION.read_text()

    for key in config.keys(config.Config()):
        default = str(key.default).lower() if isinstance(key.default, bool) else str(key.default)
        row = next((line for line in documentation.splitlines() if line.startswith(f"| `{key.name}` |")), "")
        assert key.unit in row, key.name
        assert (key.range or "true or false") in row, key.name
        assert f"| {default} |" in row, key.name
        assert key.description in row, key.name
