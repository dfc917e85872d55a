"""`recall graph …`: thin doors to the graph."""
