"""docs/journal.md names every kind of event and every field that can stand on its line, and no other."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from recall_plugin.domain.belief.evidence import ExtractionContext, Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights
from recall_plugin.domain.journal.events import (
    ArchiveNoted,
    Asserted,
    Claim,
    EntityKept,
    Event,
    Named,
    Place,
    PolicySet,
    Printed,
    Retrieved,
    SessionNoted,
    Verdict,
    parse,
    written,
)
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import RelationKey

PAGE = (Path(__file__).parents[2] / "docs" / "journal.md").read_text(encoding="utf-8")
SECTIONS = {
    (kind, int(version)): text
    for kind, version, text in re.findall(
        r"^### `(\w+)`, version (\d+)\n(.*?)(?=^##)", PAGE, flags=re.MULTILINE | re.DOTALL
    )
}
ENVELOPE = {"n", "at", "more", "spool", "kind", "v"}
BY_NAMES_OF_ANYBODYS = {("entity", "attributes"), ("retrieved", "entities")}

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = RelationKey("a1", "USES", "b2")
FULL: tuple[Event, ...] = (
    EntityKept("a1", "api", EntityType.SERVICE, "person", ("API",), "a", "b", "c", {"port": "22"}, "harbor"),
    Claim(
        Named("a1", "api", EntityType.SERVICE), "USES", Named("b2", "Kestrel", EntityType.TOOL),
        Stance.SUPPORTS, ExtractionContext.EXPLICIT, Provenance.USER, "s-1", NOON, "person",
        quote="we use it", place=Place(1, 2, 3, 12), description="why", project="harbor", replaces=KEY,
    ),
    Asserted(KEY, 0.5, "person"),
    Verdict(KEY, "wrong", NOON, "person"),
    PolicySet(ProvenanceWeights(2.0, 1.0, 0.5), "session"),
    SessionNoted("s-1", "failed", 1, 2, 3, "session", "why"),
    ArchiveNoted(1, "failed", "e663", 2, 3, 1, "minilm", 0.5, "why"),
    Printed("5d1c0b6d9f0e4f6c", "query", ("a1",), ("c3",), ((1, 0),)),
    Retrieved(NOON, {"a1": 1}, ((1, 0, 2),)),
)  # fmt: skip


def section(event: Event) -> str:
    return SECTIONS[event.KIND, event.VERSION]


def rows(text: str) -> dict[str, str]:
    """The lines of the section's table, by the field in their first column."""
    return {name: row for row, name in re.findall(r"^(\| `(\w+)` \|.*)$", text, flags=re.MULTILINE)}


def example(text: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(re.findall(r"^```json\n(.*)\n```$", text, flags=re.MULTILINE)[0])
    return line


def test_the_events_here_are_of_every_kind_and_have_something_in_every_field() -> None:
    assert {type(event) for event in FULL} == set(get_args(Event))
    for event in FULL:
        for one in fields(event):
            default = one.default_factory() if one.default_factory is not MISSING else one.default
            assert getattr(event, one.name) != default, f"{event.KIND}.{one.name}"


def test_the_page_has_a_section_for_each_kind_in_its_version_and_names_it_in_the_overview() -> None:
    overview = PAGE.partition("## Events\n")[2].partition("\n### ")[0]

    assert set(SECTIONS) == {(event.KIND, event.VERSION) for event in FULL}
    assert set(re.findall(r"^\| \[`(\w+)`\]", overview, flags=re.MULTILINE)) == {event.KIND for event in FULL}


@pytest.mark.parametrize("event", FULL, ids=lambda event: event.KIND)
def test_the_table_of_a_kind_has_exactly_the_fields_of_its_line(event: Event) -> None:
    assert set(rows(section(event))) == set(written(event)) - {"kind", "v"}


def test_what_stands_inside_an_object_is_named_in_the_row_of_its_field() -> None:
    for event in FULL:
        for name, value in written(event).items():
            if isinstance(value, dict) and (event.KIND, name) not in BY_NAMES_OF_ANYBODYS:
                told = set(re.findall(r"`(\w+)`", rows(section(event))[name]))
                assert set(value) <= told, f"{event.KIND}.{name}"


@pytest.mark.parametrize("event", FULL, ids=lambda event: event.KIND)
def test_a_field_is_called_required_exactly_where_its_line_is_refused_without_it(event: Event) -> None:
    line = written(event)
    refused = set()
    for name in set(line) - {"kind", "v"}:
        try:
            parse(event.KIND, event.VERSION, {key: value for key, value in line.items() if key != name})
        except ValueError:
            refused.add(name)

    told = {name for name, row in rows(section(event)).items() if row.split(" | ")[-1].startswith("required")}
    assert told == refused - {"turn"}  # which the page requires with `archive` only


@pytest.mark.parametrize("event", FULL, ids=lambda event: event.KIND)
def test_the_example_of_a_kind_is_a_line_as_it_is_written(event: Event) -> None:
    line = example(section(event))
    fields_of_line = {name: value for name, value in line.items() if name not in ENVELOPE}

    assert (line["kind"], line["v"]) == (event.KIND, event.VERSION)
    assert written(parse(line["kind"], line["v"], fields_of_line)) == {
        "kind": event.KIND, "v": event.VERSION, **fields_of_line
    }  # fmt: skip
