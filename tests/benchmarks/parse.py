"""How fast a transcript is read and archived, and how much memory that takes: `python tests/benchmarks/parse.py [MB]`.

Prints MB/s and peak memory of reading alone, of archiving, and of `json.loads` on each line as a yardstick.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from big_transcript import write_big

_JOBS = ("json.loads", "read", "archive")


def _run(job: str, path: Path) -> None:
    if job == "json.loads":
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
    elif job == "read":
        from recall_adapters import open_transcript

        for _ in open_transcript(path).turns():
            pass
    else:
        from recall_plugin.memory.archive import archive_file
        from recall_plugin.memory.policy import settings
        from recall_plugin.memory.setup import make_memory

        with tempfile.TemporaryDirectory() as root:
            layout = make_memory(Path(root)).layout
            archive_file(layout, path, settings(layout))


def main(arguments: list[str]) -> None:
    """Each job in a process of its own, so that none profits from another."""
    if arguments[:1] == ["--job"]:
        started = time.perf_counter()
        _run(arguments[1], Path(arguments[2]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{time.perf_counter() - started:.2f} {peak:.0f}")
        return
    megabytes = float(arguments[0]) if arguments else 100
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "5e0c2f4a-9b1d-4c6e-8a37-1f2d3c4b5a60.jsonl"
        write_big(path, megabytes)
        size = path.stat().st_size / 1e6
        for job in _JOBS:
            done = subprocess.run(
                [sys.executable, __file__, "--job", job, str(path)], capture_output=True, text=True, check=True
            )
            seconds, peak = done.stdout.split()
            print(f"{job:<11} {size / float(seconds):6.0f} MB/s  {seconds} s  peak {peak} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
