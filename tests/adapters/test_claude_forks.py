"""Which turns of a Claude Code transcript were copied from another one."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from claude_lines import START, Fields, agent, answers, asks, queue, stamp, user, write
from hypothesis import given
from hypothesis import strategies as st

from recall_adapters import claude_forks
from recall_adapters.claude_code import ClaudeTranscript

PARENT, CHILD, GRANDCHILD = (f"{digit * 8}-0000-4000-8000-000000000000" for digit in "def")

HISTORY = [
    user("One.", name="1", minute=1),
    agent("Two.", name="2", minute=2),
    asks("Bash", {"command": "ls"}, minute=3),
    answers("a.py", minute=4),
    user("Five.", name="5", minute=5),
]


def session(folder: Path, id_: str, *records: Fields, written: float = 60) -> Path:
    """A session's file in which every record names the session, last written so many minutes after the start."""
    path = write(folder / f"{id_}.jsonl", *(record | {"sessionId": id_} for record in records))
    os.utime(path, times=(START.timestamp(), START.timestamp() + written * 60))
    return path


def marked(records: list[Fields], parent: str) -> list[Fields]:
    """Those records as a fork marks its copies."""
    return [record | {"forkedFrom": {"sessionId": parent, "messageUuid": record.get("uuid")}} for record in records]


def split(path: Path) -> tuple[list[str], list[str], str]:
    """What a file inherited and what is its own, as text, and whom it inherited from."""
    transcript = ClaudeTranscript(path)
    turns = list(transcript.turns())
    inherited = transcript.report.inherited
    assert inherited <= {turn.id for turn in turns}
    return (
        [turn.text for turn in turns if turn.id in inherited],
        [turn.text for turn in turns if turn.id not in inherited],
        transcript.report.inherited_from,
    )


@pytest.mark.parametrize("mark", [True, False])
def test_a_full_copy_inherits_what_the_parent_holds(tmp_path: Path, mark: bool) -> None:
    copies = marked(HISTORY, PARENT) if mark else HISTORY
    parent = session(tmp_path, PARENT, *HISTORY)
    child = session(tmp_path, CHILD, *copies, user("Own.", name="own", minute=9))

    assert split(child) == (["One.", "Two.", "a.py", "Five."], ["Own."], PARENT)
    assert split(parent) == ([], ["One.", "Two.", "a.py", "Five."], "")


def test_a_copy_of_the_bytes_inherits_though_its_records_still_name_the_parent(tmp_path: Path) -> None:
    parent = session(tmp_path, PARENT, *HISTORY, queue("remove", "Wait.", minute=6))
    child = tmp_path / f"{CHILD}.jsonl"
    child.write_bytes(parent.read_bytes() + json.dumps(user("Own.", name="own", minute=9)).encode())

    assert split(child) == (["One.", "Two.", "a.py", "Five.", "Wait."], ["Own."], PARENT)
    assert split(parent)[0] == []


@pytest.mark.parametrize("copied", [HISTORY[:3], HISTORY[1:], HISTORY[2:4]])
def test_a_partial_copy_inherits_what_it_copied(tmp_path: Path, copied: list[Fields]) -> None:
    parent = session(tmp_path, PARENT, *HISTORY, user("Later.", name="later", minute=20))
    child = session(tmp_path, CHILD, *copied, user("Own.", name="own", minute=9))

    inherited, own, whom = split(child)

    assert own == ["Own."]
    assert len(inherited) == len({"One.", "Two.", "a.py", "Five."} & set(inherited)) + ("" in inherited)
    assert whom == PARENT
    assert split(parent)[0] == []


def test_a_fork_that_begins_with_records_of_its_own_inherits_the_rest(tmp_path: Path) -> None:
    session(tmp_path, PARENT, *HISTORY)
    hooks = [
        {"type": "attachment", "attachment": {"type": "hook_success"}, "uuid": f"h{n}", "timestamp": stamp(9)}
        for n in range(20)
    ]
    child = session(tmp_path, CHILD, *hooks, user("Caveat: The messages below", name="c", minute=9), *HISTORY)

    assert split(child) == (["One.", "Two.", "a.py", "Five."], [], PARENT)


def test_a_tool_used_before_the_fork_and_answered_after_it_is_the_forks_own(tmp_path: Path) -> None:
    session(tmp_path, PARENT, *HISTORY)
    child = session(tmp_path, CHILD, *HISTORY[:3], answers("b.py", uuid="own answer", minute=9))

    assert split(child)[:2] == (["One.", "Two."], ["b.py"])


@pytest.mark.parametrize("mark", [True, False])
def test_a_fork_of_a_fork_inherits_from_the_nearest(tmp_path: Path, mark: bool) -> None:
    mine, deeper = user("Mine.", name="mine", minute=9), user("Deeper.", name="deeper", minute=12)
    first = marked(HISTORY, PARENT) if mark else HISTORY
    second = marked([*HISTORY, mine], CHILD) if mark else [*HISTORY, mine]
    parent = session(tmp_path, PARENT, *HISTORY)
    child = session(tmp_path, CHILD, *first, mine)
    grandchild = session(tmp_path, GRANDCHILD, *second, deeper)

    assert split(parent)[:2] == ([], ["One.", "Two.", "a.py", "Five."])
    assert split(child) == (["One.", "Two.", "a.py", "Five."], ["Mine."], PARENT)
    assert split(grandchild) == (["One.", "Two.", "a.py", "Five.", "Mine."], ["Deeper."], CHILD)


def test_two_forks_of_one_parent_do_not_inherit_from_each_other(tmp_path: Path) -> None:
    session(tmp_path, PARENT, *HISTORY)
    forks = [
        session(tmp_path, id_, *HISTORY, user(f"Own of {id_}.", name=id_, minute=9)) for id_ in (CHILD, GRANDCHILD)
    ]

    assert [split(fork)[1:] for fork in forks] == [([f"Own of {fork.stem}."], PARENT) for fork in forks]


def test_a_marked_copy_is_inherited_though_the_parent_has_gone(tmp_path: Path) -> None:
    child = session(tmp_path, CHILD, *marked(HISTORY, PARENT), user("Own.", name="own", minute=9))

    assert split(child) == (["One.", "Two.", "a.py", "Five."], ["Own."], PARENT)


def test_an_unmarked_copy_of_a_parent_that_has_gone_is_the_only_one_and_owns_its_turns(tmp_path: Path) -> None:
    child = session(tmp_path, CHILD, *HISTORY)

    assert split(child) == ([], ["One.", "Two.", "a.py", "Five."], "")


def test_whoever_says_that_a_record_is_a_copy_is_not_its_owner_for_others(tmp_path: Path) -> None:
    """The parent has gone: the marked copy disowns the records, so the unmarked copy of that copy must own them."""
    session(tmp_path, CHILD, *marked(HISTORY, PARENT))
    grandchild = session(tmp_path, GRANDCHILD, *HISTORY, user("Deeper.", name="deeper", minute=12))

    assert split(grandchild)[1] == ["One.", "Two.", "a.py", "Five.", "Deeper."]


@pytest.mark.parametrize("origin", [None, 7, "x", [], {}, {"sessionId": None}, {"sessionId": ""}, {"sessionId": CHILD}])
def test_a_mark_that_names_no_other_session_marks_nothing(tmp_path: Path, origin: object) -> None:
    child = session(tmp_path, CHILD, *(record | {"forkedFrom": origin} for record in HISTORY))

    assert split(child)[0] == []


def test_of_two_files_with_the_same_records_the_one_with_the_smaller_name_owns_them(tmp_path: Path) -> None:
    smaller, larger = session(tmp_path, PARENT, *HISTORY), session(tmp_path, CHILD, *HISTORY)

    assert (split(smaller)[0], split(larger)[1]) == ([], [])


def test_records_without_times_are_compared_as_well(tmp_path: Path) -> None:
    timeless = [{key: value for key, value in record.items() if key != "timestamp"} for record in HISTORY]
    parent = session(tmp_path, PARENT, *timeless)
    child = session(tmp_path, CHILD, *timeless, user("Own.", name="own", minute=9) | {"timestamp": None})

    assert split(child)[1] == ["Own."]
    assert split(parent)[0] == []


def test_a_sibling_that_only_mentions_the_records_holds_none_of_them(tmp_path: Path) -> None:
    session(
        tmp_path,
        PARENT,
        user(json.dumps(HISTORY), name="quotes", minute=0),
        {"type": "x", "leafUuid": HISTORY[0]["uuid"]},
    )
    child = session(tmp_path, CHILD, *HISTORY)

    assert split(child)[0] == []


def test_siblings_that_cannot_be_read_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session(tmp_path, PARENT, *HISTORY)
    child = session(tmp_path, CHILD, *HISTORY, user("Own.", name="own", minute=9))
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "same.jsonl").symlink_to(child)
    (tmp_path / "hard.jsonl").hardlink_to(child)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "broken.jsonl").write_bytes(b"\xff\0{" * 1000)
    (tmp_path / "agent-1.jsonl").write_bytes((tmp_path / f"{PARENT}.jsonl").read_bytes())
    os.mkfifo(tmp_path / "pipe.jsonl")
    secret = write(tmp_path / "secret.jsonl", *HISTORY)
    opened = Path.open

    def refuse(path: Path, *args: Any, **more: Any) -> Any:
        if path == secret:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *args, **more)

    monkeypatch.setattr(Path, "open", refuse)

    assert split(child) == (["One.", "Two.", "a.py", "Five."], ["Own."], PARENT)


def test_in_a_folder_of_finished_sessions_only_those_are_opened_that_could_hold_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(30):
        session(tmp_path, f"{n:08}-0000-4000-8000-000000000000", user("Old.", name=f"{n}", minute=-9999), written=-500)
    session(tmp_path, PARENT, *HISTORY)
    child = session(tmp_path, CHILD, *HISTORY, user("Own.", name="own", minute=9))
    looked_at: list[str] = []
    head = claude_forks._head

    def noting(path: Path, **more: Any) -> Any:
        looked_at.append(path.stem)
        return head(path, **more)

    monkeypatch.setattr(claude_forks, "_head", noting)

    assert split(child)[2] == PARENT
    assert sorted(looked_at) == [PARENT, CHILD]


def test_what_is_looked_for_is_found_across_the_pieces_in_which_a_file_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_forks, "_CHUNK", 50)
    session(tmp_path, PARENT, *HISTORY)
    child = session(tmp_path, CHILD, *HISTORY)

    assert split(child)[1] == []


@st.composite
def families(draw: st.DrawFn) -> list[list[Fields]]:
    """Sessions of one folder: each forks an earlier one at some record, or begins anew, then goes on by itself.

    Any session may have gone on since. Times may be equal, and a fork may drop the beginning of what it copies.
    """
    files: list[list[Fields]] = []
    clock = 0
    for n in range(draw(st.integers(1, 5))):
        copied: list[Fields] = []
        if draw(st.booleans()) and files:
            parent = draw(st.sampled_from(files))
            copied = parent[draw(st.integers(0, 2)) : draw(st.integers(1, len(parent)))]
        own: list[Fields] = []
        for k in range(draw(st.integers(0 if copied else 1, 3))):
            clock += draw(st.integers(0, 2))
            own.append(user(f"{n}.{k}", name=f"{n}.{k}", minute=clock))
        files.append([*copied, *own])
    return files


@given(families(), st.randoms(use_true_random=False))
def test_every_record_of_a_folder_is_the_own_of_exactly_one_file(files: list[list[Fields]], chance: Any) -> None:
    names = [f"{n}{n}000000-0000-4000-8000-000000000000" for n in range(len(files))]
    chance.shuffle(names)
    with tempfile.TemporaryDirectory() as folder:
        paths = [session(Path(folder), name, *file) for name, file in zip(names, files, strict=True)]

        owned = Counter(text for path in paths for text in split(path)[1])

    assert owned == Counter({record["message"]["content"] for file in files for record in file})
