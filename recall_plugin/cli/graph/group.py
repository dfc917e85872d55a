"""The commands of `recall graph`."""

from __future__ import annotations

# The name of each command, the module of this package that holds it, and the line that `recall graph --help` shows.
COMMANDS = {
    "init": ("init", "make the graph, and load the model"),
    "status": ("status", "what the graph holds, and what waits for it"),
    "query": ("query", "ask: entities, what is believed of them, and what was said"),
    "search": ("search", "look for entities"),
    "episodes": ("episodes", "find what was actually said"),
    "show": ("show", "an entity, what is believed of it, and why"),
    "traverse": ("traverse", "what is related to an entity, as a tree"),
    "overview": ("overview", "counts, the surest, the least sure, the latest"),
    "decay-report": ("decay_report", "stored against effective confidence"),
    "add-entity": ("add_entity", "add an entity by hand"),
    "relate": ("relate", "say that a relation holds, or that it does not"),
    "correct": ("correct", "correct or confirm a relation"),
    "ingest-all": ("ingest_all", "make episodes of every archive that has none"),
}
