"""The journal on the disk: numbered events, one JSON object a line. docs/journal.md describes it."""

from recall_plugin.files.journal.entry import BLANK, Entry
from recall_plugin.files.journal.journal import Journal, JournalState
from recall_plugin.files.journal.rewriting import Rewritten
from recall_plugin.files.journal.writer import Notice

__all__ = ["BLANK", "Entry", "Journal", "JournalState", "Notice", "Rewritten"]
