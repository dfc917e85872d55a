"""The embedded store: its schema, its rows, its owner, and what is asked of it."""
