"""One module, or a few of one prefix, per agent: a vendor's transcript becomes a `Transcript` of turns.

Nothing is imported here but what a hook may pay for: `recall_adapters.claude_hooks` runs at every event of a session.
"""

from __future__ import annotations

import stat
from pathlib import Path

from recall_plugin.domain.defaults import TOOL_TEXT_CHARS
from recall_plugin.errors import TranscriptError, UnknownFormat

TYPE_CHECKING = False  # type checkers know the name; `typing` would cost a hook some milliseconds
if TYPE_CHECKING:
    from recall_plugin.domain.transcript import Transcript

KNOWN_FORMATS = ("Claude Code (.jsonl under ~/.claude/projects)",)


def open_transcript(path: Path, *, settled: bool = True, tool_text_limit: int = TOOL_TEXT_CHARS) -> Transcript:
    """The transcript at `path`, by the first adapter that knows the file; its turns have not been read yet.

    settled: False for a session that is still going on: tools that may still answer are left out.
    tool_text_limit: characters of a tool's answer that are kept, at least 0.
    Raises TranscriptError for a file that is missing, cannot be read, or is in no format that is known here.
    """
    from recall_adapters.claude_code import ClaudeTranscript, sniff  # noqa: PLC0415 (see above)

    _require_readable(path)
    if sniff(path):
        return ClaudeTranscript(path, settled=settled, tool_text_limit=tool_text_limit)
    raise UnknownFormat(
        path, "not a transcript in a format that is known here", hint=f"known formats: {', '.join(KNOWN_FORMATS)}"
    )


def _require_readable(path: Path) -> None:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise TranscriptError(path, "is a folder", hint="name one of the transcripts in it")
        if not stat.S_ISREG(mode):  # a pipe would block here, and could not be read a second time
            raise TranscriptError(path, "is not a regular file", hint="save it as a file and name that")
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise TranscriptError(
            path, "there is no such file", hint="the agent may have deleted it (Claude Code does so after 30 days)"
        ) from error
    except PermissionError as error:
        raise TranscriptError(
            path, "may not be read", hint="make it readable for you: chmod u+r, on its folders u+x"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise TranscriptError(path, getattr(error, "strerror", None) or str(error), hint="check the name") from error
