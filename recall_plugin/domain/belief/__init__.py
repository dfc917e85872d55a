"""Belief: evidence for and against a relation, weighted by who gave it, counted once per origin."""
