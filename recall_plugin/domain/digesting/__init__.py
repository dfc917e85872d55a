"""From the turns of a session to its digest, without any model."""
