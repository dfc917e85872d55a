"""Pure values and mathematics: no input, no output, the standard library only."""
