"""Secrets stop at the door: a text comes out with every secret replaced by a marker that names its kind.

Own rules, because no maintained library was good enough on the lists of tests/data/redaction (298 secrets, 327 texts
without one): detect-secrets 1.5.0 found 138 and marked 61 in error, at 0.2 MB/s; CredSweeper 1.19.5 found 233 and
marked 53 (187 and 11 with its model), at 1 MB/s, with onnxruntime and pandas behind it; gitleaks 8.30.1's rules, run in
Python, found 149 and marked 5, at 2 MB/s; redactcli 0.1.0 found 89 and marked 28. These rules find all and mark
none, at 30 MB/s (half of that where a long text holds secrets: it is read twice). They were mended on those very lists:
on texts that they had never seen they found 32 of 45 secrets and marked 0 of 45 texts in error at first, and found 42
of 46 and marked 3 of 50 after a round of mending.

Two ways in, both cheap to rule out. A vendor's token announces itself by a prefix within a run of at least 20 token
characters, so only such runs are looked at (found by translating the text to a bitmap of bytes). Everything else hangs
on a word ("password", "key", "://", …) that a plain byte search finds.
"""

from recall_plugin.files.redaction.engine import KINDS, redact, redact_counted

__all__ = ["KINDS", "redact", "redact_counted"]
