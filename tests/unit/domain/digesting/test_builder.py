from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.domain.conversation import Role, ToolActivity, Turn
from recall_plugin.domain.digest import Digest
from recall_plugin.domain.digesting import cues, decisions, outcomes, tasks
from recall_plugin.domain.digesting.builder import DigestBuilder
from recall_plugin.domain.digesting.prose import Kind, blocks, plain
from recall_plugin.domain.text.sentences import split_sentences

MORNING = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)


def person(text: str) -> Turn:
    return Turn("", Role.USER, text)


def agent(text: str) -> Turn:
    return Turn("", Role.ASSISTANT, text)


def tool(name: str, *paths: str, text: str = "", writes: bool = False, error: bool = False) -> Turn:
    return Turn("", Role.TOOL, text, None, ToolActivity(name, "", paths, writes, error))


def digest(turns: Iterable[Turn]) -> Digest:
    builder = DigestBuilder()
    for turn in turns:
        builder.add(turn)
    return builder.finish()


def first_200(turns: Iterable[Turn]) -> str:
    """The summary that needs no thought: the beginning of what was said."""
    return " ".join(turn.text for turn in turns if turn.role is not Role.TOOL)[:200]


LOG = """2026-11-02T02:30:11Z ERROR export.worker timeout after 1800s
Traceback (most recent call last):
  File "/srv/export/worker.py", line 88, in run
    rows = self.fetch(batch)
TimeoutError: query took too long"""

REPAIR = [
    person("hi"),
    agent("Hello! How can I help you today?"),
    person(
        "Hey there, since the upgrade our nightly export job times out after 30 minutes, and the "
        "finance team gets no CSV."
        f" Here is the log:\n\n```\n{LOG}\n```\n\n2026-11-02T02:30:12Z INFO retrying\n{LOG}\n"
        "Please find the cause and fix it. Never touch the billing schema."
    ),
    agent("I'll look at the worker and the query plan first."),
    tool("Read", "/srv/export/worker.py", text="class Worker: ..."),
    tool("Bash", text=LOG),
    agent("The query plan shows a sequential scan over `ledger_entries`. Let me check which index is missing."),
    tool("Bash", text="x" * 1000),
    agent(
        "The root cause was the upgrade: it dropped the partial index on `ledger_entries(posted_at)`, "
        "so every batch scans"
        " 40 million rows.\n\n| step | before |\n|---|---|\n| fetch | 29 min |\n\nShould we recreate the "
        "index concurrently,"
        " or use a materialised view?"
    ),
    person("Let's go with the concurrent index. Use batches of 10,000 rows instead of 100,000, that's plenty."),
    tool("Edit", "/srv/export/worker.py", writes=True),
    tool("Edit", "/srv/export/migrations/0042_index.sql", writes=True),
    tool("Edit", "/srv/billing/schema.sql", writes=True, error=True),
    agent(
        "Done. I recreated the partial index concurrently in `0042_index.sql` and lowered the batch size "
        "to 10,000 rows:\n\n"
        "- **Export**: 4 minutes instead of 30\n- **Tests**: all 212 pass\n\n**Next steps:**\n"
        "1. Run the migration on production during the Tuesday window\n"
        "2. Add an alert when the export job takes longer than 10 minutes\n\n"
        "Let me know if you'd like me to open the pull request!"
    ),
    person("thanks!"),
    agent("You're welcome! Happy to help anytime."),
]

DESIGN = [
    person(
        "I'd like to settle the message queue for the ingest service before the sprint ends. We have Kestrel running in"
        " staging, and RabbitMQ is what the platform team knows."
    ),
    agent(
        "There are three questions here: throughput, operations and ordering. Kestrel gives you "
        "ordering per shard, RabbitMQ"
        " per queue. Should we also consider Kafka?"
    ),
    person("Maybe we could use Kafka if the volume grows, but not now. What would you choose?"),
    agent(
        "If ordering mattered less, I would go with RabbitMQ. For the ingest service, ordering "
        "per device is essential, so"
        " Kestrel fits better because each device maps to one shard.\n\n> We decided to use RabbitMQ.\n\n"
        "That quote from the old wiki page is outdated."
    ),
    person(
        "OK, we chose Kestrel as the queue. Keep the RabbitMQ adapter as the only fallback. And we haven't decided on"
        " retention yet, so leave that open."
    ),
    agent(
        "Understood. I've written the decision record: Kestrel as the queue, the RabbitMQ adapter as fallback.\n\n"
        "- [x] Write the decision record\n- [ ] Ask the platform team about retention\n"
        "- [ ] Load test Kestrel with 5,000 devices"
    ),
    person("Remember to tell the platform team about the shard count. I'll talk to Dana about the budget tomorrow."),
    agent("Noted. The decision record is committed as `docs/adr/0007-queue.md`."),
]

TIDES = [
    person("The tide table parser drops the last row of every month. Can you find out why?"),
    agent("I'll read the parser first."),
    tool("Read", "tides/parser.py"),
    agent(
        "The slice `[:-1]` throws away the final line.\nIt assumed a trailing blank line that "
        "the new files no longer have."
    ),
    person("Next: name the branch fix/last-row."),
    agent("Branch name noted: `fix/last-row`."),
    person("Metres, always."),
    person("Keep metres as the unit everywhere."),
    agent("Understood: metres everywhere."),
    tool("Edit", "tides/parser.py", writes=True),
    person("Ship it."),
    agent("Committed on `fix/last-row`.\n\n```text\n1 file changed\n```"),
]

CHINESE = [
    person("你好"),
    agent("你好！有什么可以帮你？"),
    person("部署脚本在周一总是失败，请帮我找出原因。日志里说数据库连接超时。"),
    agent("我先看一下部署脚本。"),
    agent("原因是数据库连接池太小，部署窗口和备份任务同时运行。要不要把部署窗口改到周二？"),
    person("我们决定把部署窗口改到周二。以后不要在备份期间部署。"),
    agent("已修复：部署窗口改为周二，连接池从 5 增加到 20。下一步需要在预发环境验证连接池。"),
]

GERMAN = [
    person(
        "Guten Morgen! Der Import der Pegelstände bricht bei Umlauten in den Stationsnamen ab. Kannst "
        "du das untersuchen?"
    ),
    agent("Ich sehe mir zuerst den Parser an."),
    agent("Die Ursache war die Kodierung: Die Dateien sind in Latin-1 gespeichert, der Import liest sie als UTF-8."),
    person(
        "Wir haben uns entschieden, alle Dateien beim Empfang nach UTF-8 umzuwandeln. Sollen wir die alten löschen?"
    ),
    agent("Nein. Der Import ist behoben, die Stationsnamen kommen an. Wir müssen noch die Dokumentation ergänzen."),
]

TRIP = [
    person("Good morning! How are you?"),
    agent("Morning! I'm well, thanks. What are we planning?"),
    person("My sister visits from Oslo in May, and I want a weekend in the mountains that works with a toddler."),
    agent("The cabin near Lillehammer has a sauna, a playground and no stairs. Another idea is the lake hotel."),
    person(
        "My brother wondered whether we agreed on the hotel. We settled on the cabin, since the hotel has no kitchen."
    ),
    agent("The cabin is booked for 9 to 11 May, and the deposit of 120 euros is paid."),
    person("Great. Don't forget to order a travel cot from the rental shop."),
]

SESSIONS = {
    "repair": REPAIR,
    "design": DESIGN,
    "tides": TIDES,
    "chinese": CHINESE,
    "german": GERMAN,
    "trip": TRIP,
}


# --- whole sessions --------------------------------------------------------------------------------------------------


def test_a_repair_is_told_from_the_request_over_the_cause_to_the_outcome() -> None:
    result = digest(REPAIR)

    assert result.summary == (
        "Since the upgrade our nightly export job times out after 30 minutes, and the finance "
        "team gets no CSV. Please find the"
        " cause and fix it. The root cause was the upgrade: it dropped "
        "the partial index on ledger_entries(posted_at), so every"
        " batch scans 40 million rows. I recreated the partial index concurrently in 0042_index.sql "
        "and lowered the batch size"
        " to 10,000 rows."
    )
    assert result.decisions == (
        "Never touch the billing schema.",
        "Let's go with the concurrent index.",
        "Use batches of 10,000 rows instead of 100,000, that's plenty.",
    )
    assert result.action_items == (
        "Run the migration on production during the Tuesday window",
        "Add an alert when the export job takes longer than 10 minutes",
    )
    assert {"index", "export", "csv"} <= set(result.topics)
    assert result.files == ("/srv/export/migrations/0042_index.sql", "/srv/export/worker.py")
    assert result.tools == (("Read", 1), ("Bash", 2), ("Edit", 3))
    assert (result.user_turns, result.assistant_turns) == (4, 6)


def test_a_design_talk_keeps_what_was_decided_apart_from_what_was_considered() -> None:
    result = digest(DESIGN)

    assert result.decisions == (
        "OK, we chose Kestrel as the queue.",
        "Keep the RabbitMQ adapter as the only fallback.",
    )
    assert result.action_items == (
        "Remember to tell the platform team about the shard count.",
        "I'll talk to Dana about the budget tomorrow.",
        "Ask the platform team about retention",
        "Load test Kestrel with 5,000 devices",
    )
    assert result.summary.startswith("I'd like to settle the message queue for the ingest service")
    assert result.summary.endswith("The decision record is committed as docs/adr/0007-queue.md.")
    assert result.topics[:4] == ("kestrel", "queue", "rabbitmq", "platform team")


def test_a_short_session_with_an_agent_keeps_standing_orders() -> None:
    result = digest(TIDES)

    assert result.summary == (
        "The tide table parser drops the last row of every month. Can you find out why? It assumed "
        "a trailing blank line that"
        " the new files no longer have. Committed on fix/last-row."
    )
    assert result.decisions == ("Metres, always.", "Keep metres as the unit everywhere.")
    assert result.action_items == ()
    assert {"parser", "metres", "row"} <= set(result.topics)


def test_a_session_in_chinese_has_a_digest_too() -> None:
    result = digest(CHINESE)

    assert result.summary.startswith("部署脚本在周一总是失败，请帮我找出原因。")
    assert result.summary.endswith("已修复：部署窗口改为周二，连接池从 5 增加到 20。")
    assert result.decisions == ("我们决定把部署窗口改到周二。", "以后不要在备份期间部署。")
    assert result.action_items == ("下一步需要在预发环境验证连接池。",)
    assert "部署窗口" in result.topics


def test_a_session_in_german_has_a_digest_too() -> None:
    result = digest(GERMAN)

    assert result.summary.startswith("Der Import der Pegelstände bricht bei Umlauten")
    assert "Der Import ist behoben" in result.summary
    assert result.decisions == ("Wir haben uns entschieden, alle Dateien beim Empfang nach UTF-8 umzuwandeln.",)
    assert result.action_items == ("Wir müssen noch die Dokumentation ergänzen.",)
    assert not {"die", "der", "sie"} & set(result.topics)


def test_a_talk_that_is_not_about_code_has_a_digest_too() -> None:
    result = digest(TRIP)

    assert result.summary.startswith("My sister visits from Oslo in May")
    assert result.summary.endswith("The cabin is booked for 9 to 11 May, and the deposit of 120 euros is paid.")
    assert result.decisions == ("We settled on the cabin, since the hotel has no kitchen.",)
    assert result.action_items == ("Don't forget to order a travel cot from the rental shop.",)
    assert result.topics[:2] == ("cabin", "hotel")


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("repair", "I recreated the partial index"),
        ("design", "is committed as docs/adr/0007-queue.md"),
        ("tides", "Committed on fix/last-row"),
        ("german", "ist behoben"),
        ("trip", "cabin is booked"),
    ],
)
def test_the_summary_tells_the_outcome_which_the_first_200_characters_miss(name: str, outcome: str) -> None:
    turns = SESSIONS[name]

    assert outcome in digest(turns).summary
    assert outcome not in first_200(turns)


@pytest.mark.parametrize("name", SESSIONS)
def test_the_summary_has_neither_greetings_nor_logs_nor_code(name: str) -> None:
    summary = digest(SESSIONS[name]).summary

    assert not any(
        noise in summary for noise in ("Hello", "Hey", "hi ", "Traceback", "INFO", "```", "|", "1 file", "你好")
    )


# --- the summary -----------------------------------------------------------------------------------------------------


def test_an_empty_session_has_an_empty_digest() -> None:
    assert digest([]) == Digest()
    assert digest([person("  \n")]).summary == ""


def test_a_session_that_is_only_a_greeting_is_summed_up_by_it() -> None:
    assert digest([person("hi"), agent("Hello! How can I help?")]).summary == "hi."


def test_a_one_word_outcome_stands_beside_what_was_asked_last() -> None:
    turns = [person("Why is the last row missing?"), agent("Fixed."), person("Add a test."), agent("Added.")]

    assert digest(turns).summary == "Why is the last row missing? Add a test. Added."


def test_a_question_and_its_answer_are_summed_up_without_any_outcome() -> None:
    turns = [
        person("What is the tidal range in Saint-Malo?"),
        agent("Up to twelve metres at spring tide. Enjoy the trip!"),
    ]

    assert digest(turns).summary == "What is the tidal range in Saint-Malo? Up to twelve metres at spring tide."


def test_a_failure_is_an_outcome_too() -> None:
    turns = [
        person("Make the flaky login test pass on macOS, please."),
        agent("I could not reproduce the failure on macOS."),
    ]

    assert digest(turns).summary.endswith("I could not reproduce the failure on macOS.")


def test_a_long_sentence_is_cut_at_a_word() -> None:
    summary = digest([person("Please explain " + "the tidal harmonics " * 60)]).summary

    assert len(summary) <= 221
    assert summary.endswith(("harmonics…", "tidal…", "the…"))


def test_the_arguments_of_a_slash_command_are_the_persons_words() -> None:
    assert digest([person("/review only the parser change")]).summary == "only the parser change."
    assert digest([person("! git status -sb")]).summary == ""


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("**Done.** See [the parser](src/parser.py#L3) and `tides.py`.", "Done. See the parser and tides.py."),
        ("We *really* need __init__.py and snake_case_names.", "We really need __init__.py and snake_case_names."),
        ("✅ All ~~old~~ new <b>tests</b> pass", "All old new tests pass"),
        ("![chart](a.png) The chart &mdash; agrees\n  with us.", "The chart &mdash; agrees with us."),
        ("`a_b` and `*c*`", "a_b and *c*"),
        ("2 * 3 * 4 is 24", "2 * 3 * 4 is 24"),
    ],
)
def test_markdown_is_reduced_to_plain_words(marked: str, words: str) -> None:
    assert plain(marked) == words


def test_only_prose_is_prose() -> None:
    text = (
        "# Plan\nKeep this.\n\n```py\nx = 1\n```\n| a | b |\n|---|---|\n> quoted\nTraceback (most recent call last):\n"
        '  File "a.py", line 1\n    boom()\nValueError: no\n2026-01-01 10:00:00 INFO x\n$ ls\n'
        "- item\n- [ ] open\n- [x] done\n"
        "const x = 4;\nAnd this.\n~~~\nunclosed"
    )

    assert list(blocks(text)) == [
        (Kind.HEADING, "Plan"),
        (Kind.TEXT, "Keep this."),
        (Kind.ITEM, "item"),
        (Kind.TODO, "open"),
        (Kind.DONE, "done"),
        (Kind.TEXT, "And this."),
    ]


# --- decisions and tasks ---------------------------------------------------------------------------------------------


DECIDING = [
    "We decided to drop Redis.",
    "We decided not to use Redis.",
    "We've agreed on Tuesday for deploys.",
    "Let's go with Kestrel.",
    "OK, let’s use the second variant.",
    "I'm going with the smaller model.",
    "I chose PostgreSQL over MySQL because of the types.",
    "We settled on weekly releases.",
    "It has been decided that the API stays.",
    "Decision: no telemetry.",
    "Use tabs, not spaces.",
    "Use pnpm instead of npm.",
    "We won't support Windows.",
    "We no longer use Redis.",
    "Switch to ruff for formatting.",
    "We're migrating the archive to Parquet.",
    "Always run the linter before you commit.",
    "Never force-push to main.",
    "From now on, answer in German.",
    "Don't use mocks in integration tests.",
    "Stick with Python 3.11.",
    "Metres, always.",
    "Keep metres as the unit everywhere.",
    "Wir haben beschlossen, die alte Schnittstelle abzuschalten.",
    "On a décidé de garder SQLite.",
    "Hemos decidido usar Kestrel.",
    "我们决定使用 Kestrel。",
    "今後は英語で書いてください。",
    "Kestrelを採用することにしました。",
]


@pytest.mark.parametrize("sentence", DECIDING)
def test_a_decision_of_the_person_is_found(sentence: str) -> None:
    assert digest([person(sentence)]).decisions == (sentence,)


DECIDING_NOTHING = [
    "Should we use Obsidian?",
    "Should we go with Obsidian or not",
    "Which queue did we choose",
    "Let's use Obsidian?",
    "Maybe we decided too early.",
    "If we chose Kestrel, we'd need a second node.",
    "We haven't decided yet.",
    "We have not agreed on a date.",
    "Nothing was decided.",
    "We need to decide by Friday.",
    "I would go with Kestrel.",
    "I wonder whether we agreed on the hotel.",
    "The parser no longer reads the header.",
    "It won't compile.",
    "I never liked that editor.",
    "Never mind.",
    "Always the same error.",
    "Let's keep going.",
    'The comment says "we decided to use Redis".',
    "> We decided to use Redis.",
    "```\nwe decided to use Redis\n```",
    "I went with my brother to the lake.",
    "I picked up the parcel.",
    "Wir haben noch nicht entschieden, ob wir Kestrel nehmen.",
    "我们决定用 Kestrel 吗？",
    "要不要改用 Kestrel",
]


@pytest.mark.parametrize("sentence", DECIDING_NOTHING)
def test_what_decides_nothing_is_no_decision(sentence: str) -> None:
    assert digest([person(sentence)]).decisions == ()


def test_directives_are_the_persons_alone_but_the_agent_decides_too() -> None:
    turns = [
        agent("Always wear a helmet."),
        agent("I'll use a generator instead of a list."),
        person("We chose Kestrel."),
    ]

    assert digest(turns).decisions == ("We chose Kestrel.", "I'll use a generator instead of a list.")


def test_the_prompt_of_a_headless_run_gives_no_directives() -> None:
    turn = Turn("", Role.USER, "Summarise the issues of today. Never close any of them.", unattended=True)

    result = digest([turn])

    assert result.decisions == ()
    assert result.summary == "Summarise the issues of today."


def test_the_same_decision_said_twice_is_one() -> None:
    turns = [
        agent("We chose Kestrel as the queue."),
        person("We chose Kestrel as the queue!"),
        person("OK, we chose Kestrel."),
    ]

    assert digest(turns).decisions == ("We chose Kestrel as the queue!",)


def test_a_decision_listed_under_a_heading_counts() -> None:
    text = "## Decisions\n\n- Kestrel as the queue\n- Retention of 30 days\n\nThat is all."

    assert digest([agent(text)]).decisions == ("Kestrel as the queue", "Retention of 30 days")


LEFT = [
    ("TODO: write the migration guide.", "write the migration guide."),
    ("- [ ] Write the migration guide", "Write the migration guide"),
    ("Next step: load test the queue.", "load test the queue."),
    ("We still need to rotate the keys.", "We still need to rotate the keys."),
    ("Remember to renew the certificate.", "Remember to renew the certificate."),
    ("Please also update the changelog later.", "Please also update the changelog later."),
    ("I'll call the harbour office tomorrow.", "I'll call the harbour office tomorrow."),
    ("The docs still need to be updated.", "The docs still need to be updated."),
    ("Follow up with Dana about the budget.", "Follow up with Dana about the budget."),
    ("Wir müssen noch die Tests ergänzen.", "Wir müssen noch die Tests ergänzen."),
    ("别忘了更新文档。", "别忘了更新文档。"),
]


@pytest.mark.parametrize(("sentence", "task"), LEFT)
def test_what_is_left_to_do_is_found(sentence: str, task: str) -> None:
    assert digest([person(sentence)]).action_items == (task,)


NO_TASKS = [
    "- [x] Write the migration guide",
    "Do we still need to rotate the keys?",
    "We no longer need to rotate the keys.",
    "See you tomorrow!",
    "I'll read the parser.",
    "There is nothing left to do.",
]


@pytest.mark.parametrize("sentence", NO_TASKS)
def test_what_is_done_or_asked_is_no_task(sentence: str) -> None:
    assert digest([agent(sentence)]).action_items == ()


def test_a_task_ticked_off_later_is_done() -> None:
    turns = [agent("- [ ] Write the guide\n- [ ] Tell Dana"), agent("- [x] Write the guide")]

    assert digest(turns).action_items == ("Tell Dana",)


@pytest.mark.parametrize(
    "rules", [decisions.DECISIONS, tasks.TASKS, outcomes.OUTCOMES], ids=["decisions", "tasks", "outcomes"]
)
def test_the_quick_sieve_of_words_loses_nothing_that_the_rules_would_find(rules: cues.Rules) -> None:
    said = [*DECIDING, *DECIDING_NOTHING, *(sentence for sentence, _ in LEFT), *NO_TASKS]
    said += [sentence for turns in SESSIONS.values() for turn in turns for sentence in split_sentences(turn.text)]

    for sentence in map(str.lower, said):
        found = rules.words.intersection(re.findall(r"\w+", sentence))
        assert rules.strength(sentence, found, by_person=True) == rules.strength(sentence, rules.words, by_person=True)


# --- topics ----------------------------------------------------------------------------------------------------------


def test_topics_are_small_letters_without_stop_words() -> None:
    result = digest([person("The Tidepool parser and the Tidepool exporter need a schema. The schema is old.")])

    assert {"tidepool", "schema"} <= set(result.topics)
    assert not {"the", "and", "need"} & set(result.topics)
    assert all(topic == topic.lower() for topic in result.topics)


def test_singular_and_plural_are_one_topic() -> None:
    result = digest([person("Gauges fail at night."), person("One gauge fails, other gauges work.")])

    assert "gauges" in result.topics
    assert "gauge" not in result.topics


def test_what_tools_print_is_no_topic() -> None:
    assert digest([person("Check the gauge."), tool("Bash", text="zebra zebra zebra")]).topics == ("gauge",)


def test_japanese_words_are_told_by_their_script() -> None:
    turns = [person("サーバーの設定を変更してください。"), agent("サーバーの設定を確認しました。設定は正しいです。")]

    assert {"サーバー", "設定"} <= set(digest(turns).topics)


# --- times, files, tools ---------------------------------------------------------------------------------------------


def test_first_and_last_are_the_earliest_and_latest_times_in_whatever_order() -> None:
    late = MORNING + timedelta(hours=2)
    turns = [Turn("", Role.USER, "a", late), Turn("", Role.USER, "b", MORNING), Turn("", Role.USER, "c")]

    result = digest(turns)

    assert (result.first_at, result.last_at) == (MORNING, late)


def test_times_in_other_zones_and_without_one_are_compared_as_instants() -> None:
    kiritimati = datetime(2026, 11, 28, 23, 0, tzinfo=timezone(timedelta(hours=14)))
    naive = datetime(2026, 11, 28, 9, 30)

    result = digest([Turn("", Role.USER, "a", kiritimati), Turn("", Role.USER, "b", naive)])

    assert result.first_at == MORNING
    assert result.last_at == MORNING + timedelta(minutes=30)


# --- whatever the turns ----------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "we decided to use ",
        "Should we ",
        "TODO: ",
        "- [ ] ",
        "- [x] ",
        "```",
        "\n\n",
        "## Next steps\n",
        "| a |",
        "**",
        "_",
        "`",
        "[x](y)",
        "https://a.b/c",
        "Done.",
        " Fixed",
        "部署窗口",
        "。",
        "。？",
        "é",
        "\u2028",
        "\x85",
        "’",
        '"',
        "<b>",
        "\\",
        "always",
        "hi, ",
        "…",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=12).map("".join)
TURNS = st.lists(
    st.builds(
        lambda role, text, time, path, writes: Turn(
            "", role, text, time, ToolActivity(text[:5], "", (path,), writes) if role is Role.TOOL else None
        ),
        st.sampled_from(Role),
        TEXTS,
        st.none() | st.datetimes(timezones=st.none() | st.just(UTC)),
        st.text(max_size=8),
        st.booleans(),
    ),
    max_size=8,
)


@settings(max_examples=200)
@given(TURNS)
def test_any_turns_have_a_digest_within_its_limits(turns: list[Turn]) -> None:
    result = digest(turns)

    assert len(result.summary) <= 500
    assert len(result.topics) <= 8
    assert len(result.decisions) <= 5
    assert len(result.action_items) <= 5
    lines = (result.summary, *result.topics, *result.decisions, *result.action_items)
    assert all(len(line.splitlines()) <= 1 for line in lines)
    assert all(line == line.strip() for line in lines)
    assert len(set(result.topics)) == len(result.topics)
    assert result == digest(turns)


@settings(max_examples=200)
@given(TURNS)
def test_every_decision_was_said(turns: list[Turn]) -> None:
    said = "".join(plain(turn.text, limit=10**6) for turn in turns)
    squeezed = "".join(character for character in said if character.isalnum())

    for decision in digest(turns).decisions:
        assert "".join(character for character in decision if character.isalnum()) in squeezed


SCRIPT = """
import json, sys
from recall_plugin.domain.conversation import Role, ToolActivity, Turn
from recall_plugin.domain.digesting.builder import DigestBuilder
for session in json.load(sys.stdin):
    builder = DigestBuilder()
    for role, text in session:
        builder.add(Turn("", Role(role), text, None, ToolActivity("t", "", (text,), True) if role == "tool" else None))
    print(ascii(builder.finish()))
"""


def test_the_digest_depends_on_no_hash_seed_locale_or_time_zone() -> None:
    words = " ".join(f"word{number % 700} Thing{number % 300}" for number in range(20_000))
    many = [["user", f"Please sort {words}"], ["assistant", f"Done. I sorted {words}"]]
    sessions = json.dumps([*([[turn.role, turn.text] for turn in turns] for turns in SESSIONS.values()), many])

    outputs = set()
    for seed, zone, locale in (
        ("0", "UTC", "C"),
        ("1", "Pacific/Kiritimati", "C.UTF-8"),
        ("4711", "Pacific/Midway", "tr_TR.UTF-8"),
    ):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "LC_ALL": locale,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=sessions,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
            encoding="ascii",
        )
        outputs.add(run.stdout)

    assert len(outputs) == 1


def test_a_hundred_megabytes_of_turns_take_no_more_memory_than_ten() -> None:
    def turns(start: int, count: int) -> Iterable[Turn]:
        for number in range(start, start + count):
            words = " ".join(f"w{number}x{place} Name{number}y{place}" for place in range(900))
            yield person(f"We decided to use thing{number}. TODO: rename thing{number}. {words}.")
            yield agent(f"Done. I renamed thing{number}. {words}. " + "Padding goes here. " * 26_000)
            yield tool(f"tool{number}", f"/file{number}", text="x" * 500_000, writes=True)

    builder = DigestBuilder()
    tracemalloc.start()
    try:
        for turn in turns(0, 10):
            builder.add(turn)
        gc.collect()
        after_ten = tracemalloc.get_traced_memory()[0]
        for turn in turns(10, 90):
            builder.add(turn)
        gc.collect()
        after_hundred = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert after_hundred - after_ten < 6_000_000
    assert builder.finish().decisions


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "。" * 10**6,
        ". " * 500000,
        "- " * 500000,
        "[" * 10**6,
        "`" * 10**6,
        "*a" * 500000,
        "\n" * 10**6,
        "中" * 10**6,
        "we decided we " * 70000,
        "if " * 300000,
        "<a " * 300000,
        "```\n" * 250000,
        "|" * 10**6,
        "x = " * 250000,
        "hi, " * 250000,
    ],
    ids=lambda text: repr(text[:6]),
)
@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_a_megabyte_of_anything_is_digested_within_two_seconds(text: str, role: Role) -> None:
    start = time.process_time()

    digest([Turn("", role, text)])

    assert time.process_time() - start < 2


def test_the_middle_of_a_very_long_turn_is_not_read_but_its_ends_are() -> None:
    filler = "The tide comes and goes as it has always done. " * 4000
    turn = person(f"We decided to use Kestrel. {filler} We decided to use Redis. {filler} We agreed on Tuesday.")

    assert digest([turn]).decisions == ("We decided to use Kestrel.", "We agreed on Tuesday.")
