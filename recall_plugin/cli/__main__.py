"""`python -m recall_plugin.cli` is `recall`."""

from recall_plugin.cli.main import entry

entry()
