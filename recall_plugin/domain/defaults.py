"""What holds where no config says otherwise; apart from `config.py`, because a hook pays for every import."""

EPHEMERAL_ENTRIES = 5
TOOL_TEXT_CHARS = 4000
# Of what a tool was asked: enough for a command, not for a file that was written.
TOOL_INPUT_CHARS = 500
# Claude Code shows 10,000 characters of a hook's output; the fence and a notice need some of them.
CONSUME_CHARS = 9500
# What a relation's counts mean, and how they fade, stands with the formulas (`domain/belief`, `domain/scoring`).
EMBEDDING_MODEL = "minilm-int8"
# As many as the machine has, at most 4.
EMBEDDING_THREADS = 0
STORE_PATIENCE_SECONDS = 5.0
