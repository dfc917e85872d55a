"""A new session is told what it should know, within a length, and what could not be read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recall_plugin.domain.conversation import Conversation, Role, Session, Turn
from recall_plugin.domain.fence import printed
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.transcript import GivenTranscript
from recall_plugin.files import archiving, layers
from recall_plugin.files.policy import Policy
from recall_plugin.files.print_key import PrintKey
from recall_plugin.memory import session_start

NOW = datetime(2026, 3, 6, tzinfo=UTC)
KEY = PrintKey(bytes(32))


def keep(layout: Layout, number: int, text: str) -> None:
    turns = (Turn(f"t{number}", Role.USER, text, NOW),)
    source = GivenTranscript(Conversation(Session(f"s{number}", "a"), turns))
    archiving.archive(layout, source, Policy(lambda text: text), source="session", now=NOW)


def session_context(layout: Layout) -> str:
    return session_start.session_context(layout, KEY).text


def test_what_is_printed_is_recognised_by_its_id(layout: Layout) -> None:
    made = session_start.session_context(layout, KEY)

    assert [(block.print_id, block.verified) for block in printed(made.text, KEY.key)] == [(made.id, True)]


def test_a_key_that_is_not_kept_is_told(layout: Layout) -> None:
    made = session_start.session_context(layout, PrintKey(bytes(32), "print-key: others can write it"))

    assert "Note: this text will not be recognised when it comes back: print-key: others can write it" in made.text


def test_an_empty_memory_says_so_and_shows_no_template(layout: Layout) -> None:
    text = session_context(layout)

    assert "Nothing is remembered yet" in text
    assert "is yours and your agent's" not in text


def test_facts_come_before_sessions_and_the_explanation_is_left_out(layout: Layout) -> None:
    layout.curated.write_text(layout.curated.read_text() + "The gauge reports metres.\n")
    keep(layout, 1, "Please paint the shed green.")

    text = session_context(layout)

    assert text.index("The gauge reports metres.") < text.index("Please paint the shed green.")
    assert "<!--" not in text


def test_a_memory_md_of_the_persons_own_is_shown_whole(layout: Layout) -> None:
    layout.curated.write_text("before <!-- hidden? --> after\n")

    assert "before <!-- hidden? --> after" in session_context(layout)


def test_the_oldest_sessions_are_left_out_first(layout: Layout) -> None:
    layout.config.write_text("[consume]\nmax_chars = 1000\n")
    layout.config.chmod(0o600)
    for number in range(1, 6):
        wish = f"Please paint shed {number} green, with two coats of the paint that they sell at the harbour. "
        keep(layout, number, wish + "The door wants a new hinge, and the roof a plank where the rain comes in.")

    text = session_context(layout)

    assert "shed 5" in text
    assert "shed 1" not in text
    assert "[… more stands in" in text
    assert len(text) <= 1000


def test_a_held_lock_is_not_waited_for(layout: Layout) -> None:
    keep(layout, 1, "hello")
    layout.ephemeral.write_text("damaged")
    with layers.locked(layout):
        text = session_context(layout)

    assert "may be out of date" in text
    assert layout.ephemeral.read_text() == "damaged"


@pytest.mark.parametrize("limit", [1000, 2000, 9500])
@pytest.mark.parametrize("facts", ["", "a fact of some length, a line of its own\n" * 400])
def test_what_is_printed_keeps_to_its_length(layout: Layout, limit: int, facts: str) -> None:
    layout.config.write_text(f"[consume]\nmax_chars = {limit}\n")
    layout.config.chmod(0o600)
    layout.curated.write_text(facts)
    for number in range(1, 6):
        keep(layout, number, f"Please paint shed {number} green. " + "And mind the paint that dries on the quay. " * 40)

    text = session_context(layout)

    assert len(text) <= limit
    assert "shed 5" in text
