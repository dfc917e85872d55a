"""Memory for agents that run for months: what it knows, how sure it is, and from whom."""

__version__ = "0.1.0"
