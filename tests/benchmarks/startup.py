"""How long the commands that hooks run take, as whole processes, beside a bare interpreter.

`python tests/benchmarks/startup.py [RUNS]`; run it with the interpreter of an environment into which the wheel is
installed: an editable install starts slower.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_DEMO = Path(__file__).parents[2] / "demo" / "5e0c2f4a-9b1d-4c6e-8a37-1f2d3c4b5a69.jsonl"


def _seconds(command: list[str], environment: dict[str, str], stdin: bytes) -> float:
    started = time.perf_counter()
    subprocess.run(command, input=stdin, env=environment, capture_output=True, check=True)
    return time.perf_counter() - started


def main(arguments: list[str]) -> None:
    """The commands in turn, run after run, so that a slow moment of the machine hits all of them."""
    runs = int(arguments[0]) if arguments else 15
    recall = str(Path(sys.executable).with_name("recall"))
    payload = json.dumps({"session_id": "x", "transcript_path": str(_DEMO), "hook_event_name": "SessionEnd"}).encode()
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "HOME": folder}
        root = Path(folder) / "nia"
        subprocess.run([recall, "init", str(root)], env=environment, check=True, capture_output=True)
        commands = {
            "bare interpreter": [sys.executable, "-c", "pass"],
            "recall consume": [recall, "consume"],
            "recall archive-session, new": [recall, "archive-session"],
            "recall archive-session, known": [recall, "archive-session"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                if name.endswith("new"):
                    for path in (root / "memory" / "conversations").iterdir():
                        path.unlink()
                times[name].append(_seconds(command, environment, payload))
    bare = statistics.median(times["bare interpreter"])
    for name, seconds in times.items():
        median = statistics.median(seconds)
        print(f"{name:<30} median {median * 1000:6.1f} ms  max {max(seconds) * 1000:6.1f} ms  {median / bare:5.1f} x")


if __name__ == "__main__":
    main(sys.argv[1:])
