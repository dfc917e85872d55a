"""The reference host: the command `pulse`, which sets a pulse up, shows how it fares and replays sessions through it.

It knows the contract (`pulse_hookspecs`) and finds its plugins by entry point.
"""
