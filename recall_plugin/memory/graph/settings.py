"""What the graph goes by. A config that is refused stops it: nothing is learned by a default (law 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recall_plugin.config import Config
from recall_plugin.domain.journal.events import PolicySet
from recall_plugin.domain.layout import Layout
from recall_plugin.domain.scoring import ScoringWeights
from recall_plugin.files.config_file import load_config
from recall_plugin.files.print_key import PrintKey, print_key


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """policy: what evidence weighs. scoring: what ranks a search. Half-lives in days. patience: seconds.

    model, threads: how texts are embedded. key: by which prints are known.
    """

    policy: PolicySet
    scoring: ScoringWeights
    confidence_half_life: float
    hotness_half_life: float
    model: str
    threads: int
    patience: float
    key: PrintKey


def graph_settings(layout: Layout, environment: Mapping[str, str]) -> GraphSettings:
    """The settings of a memory's graph. Raises ConfigRefused."""
    given: Config = load_config(layout.config)
    graph = given.graph
    return GraphSettings(
        policy=PolicySet(graph.provenance.weights, graph.origins.self_),
        scoring=graph.scoring.weights,
        confidence_half_life=graph.decay.confidence_half_life_days,
        hotness_half_life=graph.decay.hotness_half_life_days,
        model=graph.embedding.model,
        threads=graph.embedding.threads,
        patience=graph.store_patience_secs,
        key=print_key(environment),
    )
