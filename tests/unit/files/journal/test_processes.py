"""Many processes write at once, and die at any moment: nothing acknowledged is lost, doubled, or out of order."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from journal_events import NOVEMBER, NOW, event, kept

from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal import Journal

CROWD = """
import sys
from pathlib import Path
from journal_events import NOW, event
from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal import Journal
root, who = Path(sys.argv[1]), sys.argv[2]
journal = Journal(Layout(root))
print("ready", flush=True)
sys.stdin.readline()
for turn in range(0, 100, 2):
    batch = [event([who, turn]), event([who, turn + 1])]
    if turn % 3 == 0:
        journal.append(batch, now=NOW)
    elif turn % 3 == 1:
        journal.note(batch, now=NOW)
    else:
        journal.spool(batch, now=NOW)
"""

DOOMED = """
import random, sys
from pathlib import Path
from journal_events import NOW, event
from recall_plugin.domain.layout import Layout
from recall_plugin.files.journal import Journal
root, who, dice = Path(sys.argv[1]), sys.argv[2], random.Random(sys.argv[2])
journal = Journal(Layout(root))
for turn in range(10_000):
    size = dice.choice([1, 2, 30])
    batch = [event([who, turn, part, size], text="x" * dice.choice([10, 20_000])) for part in range(size)]
    how = dice.choice([journal.append, journal.append, journal.note, journal.spool])
    how(batch, now=NOW)
    print(turn, size, flush=True)
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_four_processes_at_once_leave_no_gap_no_loss_and_nothing_twice(layout: Layout) -> None:
    crowd = [start(CROWD, layout.root, who) for who in "abcd"]
    for process in crowd:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in crowd:
        process.communicate("go\n")
    Journal(layout).absorb(now=NOW)

    assert [process.returncode for process in crowd] == [0] * 4
    found = [tuple(name) for name in kept(layout)]
    assert sorted(found) == [(who, turn) for who in "abcd" for turn in range(100)]
    assert all(found[place + 1] == (who, turn + 1) for place, (who, turn) in enumerate(found) if turn % 2 == 0)


def test_processes_killed_at_random_lose_nothing_that_was_acknowledged(layout: Layout) -> None:
    dice = random.Random(3)
    acknowledged: set[tuple[str, int, int]] = set()
    for killing in range(25):
        pair = {f"{killing}{who}": start(DOOMED, layout.root, f"{killing}{who}") for who in "ab"}
        begun = {who: process.stdout.readline() for who, process in pair.items() if process.stdout is not None}
        time.sleep(dice.random() * 0.04)
        for process in pair.values():
            process.send_signal(signal.SIGKILL)
        for who, process in pair.items():
            output, _ = process.communicate()
            lines = [line.split() for line in (begun[who] + output).splitlines(keepends=True) if line.endswith("\n")]
            acknowledged |= {(who, int(turn), int(size)) for turn, size in lines}
        Journal(layout).recover()
        assert Journal(layout).last_number() == len(kept(layout))
    Journal(layout).absorb(now=NOW)

    found_events = [tuple(name) for name in kept(layout)]
    assert max(Counter(found_events).values()) == 1
    batches = Counter((who, turn, size) for who, turn, _, size in found_events)
    assert all(parts == size for (_, _, size), parts in batches.items())
    assert batches.keys() >= acknowledged
    assert len(acknowledged) > 100


def test_death_before_any_call_to_the_system_loses_and_doubles_nothing(tmp_path: Path) -> None:
    base = Layout(tmp_path / "base")
    base.memory.mkdir(parents=True)
    journal = Journal(base)
    journal.append([event("a1"), event("a2")], now=NOW)
    journal.spool([event("b1"), event("b2")], now=NOW)
    journal.spool([event("b3")], now=NOW)
    with (base.journal / NOVEMBER).open("ab") as file:
        file.write(b'{"n":3,"at":')
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("crash_everywhere.py"), tmp_path],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    deaths = int(run.stdout)

    assert run.stderr == ""
    assert deaths > 40
    always = ["a1", "a2", "b1", "b2", "b3"]
    outcomes = set()
    for death in range(1, deaths + 1):
        layout = Layout(tmp_path / str(death))
        Journal(layout).recover()
        Journal(layout).append([event("z")], now=NOW)
        found = kept(layout)
        rest = found[len(always) : -1]
        assert [*found[: len(always)], found[-1]] == [*always, "z"]
        assert rest in ([], ["c1", "c2", "c3"], ["c1", "c2", "c3", "d1", "d2"], ["c1", "c2", "c3", "d1", "d2", "e1"])
        outcomes.add(len(rest))
        assert not list(layout.spool.glob("*.json"))
    assert outcomes == {0, 3, 5, 6}
