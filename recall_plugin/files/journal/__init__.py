"""The journal on the disk: numbered events, one JSON object a line."""
