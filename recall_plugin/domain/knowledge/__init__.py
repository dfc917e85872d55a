"""What the graph holds: entities, and relations between them that are believed more or less."""
