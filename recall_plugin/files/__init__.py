"""Layers 1 to 3: MEMORY.md, EPHEMERAL.md, and the archives with their index."""
