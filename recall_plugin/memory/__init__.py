"""Use cases: what people, agents and hosts want of the memory, put together from files, adapters and config.

Those of the text layers are synchronous, because session-event commands call them without an event loop.
"""
