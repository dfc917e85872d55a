"""Use cases of the graph: asynchronous, on one loop, with embedding and file work in threads."""
