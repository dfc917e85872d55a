"""Text as people write it, in any script: its letters, words and sentences."""
