"""A relation's type has one form, its key one id, and it is authoritative while nothing speaks against it."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import Evidence, ExtractionContext
from recall_plugin.domain.knowledge.relation import LONGEST_TYPE, USUAL_TYPES, Relation, RelationKey, relation_type

KEY = RelationKey("8073345e63894ce3d31d", "LISTENS_ON", "9a9488aa7e125c5100f8")

spoken = st.text(st.sampled_from("aZ0 _-\t\u2028éßıﬁ部\0.'"), max_size=12) | st.text(max_size=70)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("USES", "USES"),
        ("depends on", "DEPENDS_ON"),
        (" written-in\n", "WRITTEN_IN"),
        ("listens -_ on", "LISTENS_ON"),
        ("v2 of", "V2_OF"),
        ("X" * LONGEST_TYPE, "X" * LONGEST_TYPE),
    ],
)
def test_a_type_is_written_in_upper_case_words(text: str, name: str) -> None:
    assert relation_type(text) == name


@pytest.mark.parametrize(
    "text", ["", " ", "_", "-uses", "uses_", "2ND", "a.b", "naïve", "部署", "a'b", "a\0b", "X" * 65]
)
def test_what_is_no_such_word_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as USES or DEPENDS_ON, at most 64 characters"):
        relation_type(text)


@given(spoken)
def test_a_type_is_in_its_normal_form_or_refused(text: str) -> None:
    found = ""
    problem = ""
    try:
        found = relation_type(text)
    except ValueError as error:
        problem = str(error)

    assert problem or re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", found)
    assert problem or relation_type(found) == found


def test_the_usual_types_are_in_their_normal_form() -> None:
    assert set(USUAL_TYPES) == {
        "USES", "BUILDS", "DEPENDS_ON", "WRITTEN_IN", "PREFERS", "INTERESTED_IN", "RELATES_TO"
    }  # fmt: skip
    assert [relation_type(name) for name in USUAL_TYPES] == list(USUAL_TYPES)


def test_the_id_is_the_hash_of_its_parts_joined_by_zero_bytes() -> None:
    joined = b"8073345e63894ce3d31d\0LISTENS_ON\x009a9488aa7e125c5100f8"

    assert KEY.id == hashlib.sha256(joined).hexdigest()[:20]


def test_direction_and_type_make_another_relation() -> None:
    ids = {RelationKey(*ends).id for ends in (("a", "USES", "b"), ("b", "USES", "a"), ("a", "BUILDS", "b"))}

    assert len(ids) == 3


def test_a_key_with_half_a_surrogate_pair_has_an_id() -> None:
    assert len(RelationKey("\ud800", "USES", "b").id) == 20


@pytest.mark.parametrize(
    ("evidence", "authoritative"),
    [
        (Evidence.from_prior(1.0), True),
        (Evidence.from_prior(1.0).corroborate(5), True),
        (Evidence.from_prior(1.0).contradict(0.05), False),
        (Evidence.from_prior(0.9).corroborate(1000), False),
        (Evidence(), False),
    ],
)
def test_a_relation_is_authoritative_while_nothing_speaks_against_it(evidence: Evidence, authoritative: bool) -> None:
    assert Relation(KEY, 1, evidence, ExtractionContext.AUTHORITATIVE).authoritative is authoritative


def test_a_relation_is_disputed_while_the_mark_stands() -> None:
    marked = datetime(2026, 11, 30, tzinfo=UTC)

    assert Relation(KEY, 1, Evidence(), ExtractionContext.EXPLICIT, disputed_at=marked).disputed
    assert not Relation(KEY, 1, Evidence(), ExtractionContext.EXPLICIT).disputed
