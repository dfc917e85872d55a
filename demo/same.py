"""Whether the graph holds the same before and after it was made again; beliefs are compared digit by digit."""

from __future__ import annotations

import json
import sys
from pathlib import Path

work = Path(sys.argv[1])
before, after = (json.loads((work / f"{when}.json").read_text())["counts"] for when in ("before", "after"))
believed, rebuilt = (json.loads((work / f"overview-{when}.json").read_text())["latest"] for when in ("before", "after"))
for table in ("entity", "relates_to", "observation", "episode"):
    print(f"{table:<12} {before[table]:>4} before, {after[table]:>4} after")
counts = [[(row["id"], row["alpha"], row["beta"]) for row in rows] for rows in (believed, rebuilt)]
same = counts[0] == counts[1] and all(before[table] == after[table] for table in ("entity", "relates_to", "episode"))
print("every count is the same" if same else "something differs")
sys.exit(0 if same else 1)
