"""What the owner of the graph last knew of it, in a file, so that `status` need not open the store.

It is a courtesy: where it is missing or unreadable, the journal tells the same, only slower.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from recall_plugin.domain.journal.account import Account
from recall_plugin.domain.layout import Layout
from recall_plugin.errors import RecallError
from recall_plugin.files.atomic import read_file, write_atomic
from recall_plugin.files.journal.checking import Signature


@dataclass(frozen=True, slots=True)
class GraphState:
    """applied: the last event whose effects are in the store. counts: rows by table. asides: events set aside.

    read_only: why nothing is recorded, or empty. checked: the journal's segments when they were last found sound.
    """

    applied: int = 0
    account: Account = field(default_factory=Account)
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    asides: tuple[str, ...] = ()
    read_only: str = ""
    model: str = ""
    checked: Mapping[str, Signature] = field(default_factory=lambda: MappingProxyType({}))


def write_state(layout: Layout, state: GraphState) -> None:
    """The file says so. Raises WriteFailed."""
    value = {
        "applied": state.applied,
        "account": state.account.to_plain(),
        "counts": dict(state.counts),
        "asides": list(state.asides),
        "read_only": state.read_only,
        "model": state.model,
        "checked": {name: list(signature) for name, signature in state.checked.items()},
    }
    write_atomic(layout.graph_state, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def read_state(layout: Layout) -> GraphState:
    """What the file says; the state of an empty graph where it is missing or damaged."""
    try:
        data = read_file(layout.graph_state)
        value = json.loads(data) if data else {}
        return GraphState(
            applied=int(value.get("applied", 0)),
            account=Account.of_plain(value["account"]) if "account" in value else Account(),
            counts={str(name): int(count) for name, count in value.get("counts", {}).items()},
            asides=tuple(str(one) for one in value.get("asides", [])),
            read_only=str(value.get("read_only", "")),
            model=str(value.get("model", "")),
            checked={str(name): (int(size), int(at)) for name, (size, at) in value.get("checked", {}).items()},
        )
    except (RecallError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return GraphState()
