"""How a changed relation is shown: before and after."""

from __future__ import annotations

from recall_plugin.cli.door import print_json, tell
from recall_plugin.memory.graph.relating import Change
from recall_plugin.memory.graph.views import RelationView, Sure, view


def tell_change(command: str, change: Change, sure: Sure, *, as_json: bool) -> int:
    """The change is printed, and what was not taken as it was said is told on stderr. Returns the exit code."""
    for note in change.notes:
        tell(f"recall graph {command}: {note}")
    if as_json:
        print_json(change_to_json(change, sure))
    else:
        print(change_text(change, sure), end="")
    return 0


def change_text(change: Change, sure: Sure) -> str:
    """Two lines: the relation as it is now, and how its confidence moved."""
    after = _view(change, sure)
    evidence = after.relation.evidence
    low, high = evidence.interval()
    before = f"{change.before.evidence.mean:.3f} → " if change.before else "new, "
    return (
        f"{after.line}\n"
        f"  confidence {before}{evidence.mean:.3f}, 90 % between {low:.2f} and {high:.2f}"
        f" (for {evidence.alpha:.2f}, against {evidence.beta:.2f}); {after.standing}\n"
    )


def change_to_json(change: Change, sure: Sure) -> dict[str, object]:
    """`{before, after, notes}`; before is the confidence, null where the relation is new."""
    return {
        "before": change.before.evidence.mean if change.before else None,
        "after": _view(change, sure).to_json(),
        "notes": list(change.notes),
    }


def _view(change: Change, sure: Sure) -> RelationView:
    return view(change.after, {change.source.key: change.source, change.target.key: change.target}, sure)
