"""Redacting twice is redacting once, on hostile text too."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.files.redaction import redact, redact_counted

FRAGMENTS = (
    *("[redacted: ", "[redacted: password]", "[redacted: jwt]", "[redacted: nonsense]", "redacted: ", "]", "["),
    *(
        "password",
        "secret",
        "token",
        "api_key",
        "key",
        "pass",
        "PWD",
        "=",
        ":",
        ": ",
        " = ",
        '"',
        "'",
        "\\",
        "\\n",
        "`",
    ),
    *(
        "://",
        "user:",
        "@",
        "host",
        "Authorization: ",
        "Bearer ",
        "Basic ",
        "sig=",
        "cookie: ",
        " -p",
        " -u ",
        "curl",
        "mysql",
    ),
    *(
        "hunter2",
        "Tr0ub4dor&3",
        "a1B2c3D4e5F6g7H8i9J0",
        "aB3" * 12,
        "0f" * 20,
        "$X",
        "${",
        "}",
        "(",
        ")",
        ";",
        ",",
        "&",
        "\n",
    ),
    *(
        "gh" + "p_",
        "sk" + "-",
        "AK" + "IA",
        "ey" + "J",
        ".",
        "-us1",
        ":A" + "A",
        "SG.",
        "-----BEG" + "IN PRIVATE KEY-----",
    ),
    *(
        "-----E" + "ND PRIVATE KEY-----",
        "PuTTY-User-Key-File-2: x",
        "Private-Lines: 1",
        '"kty"',
        '"d":"',
        "machine x login y ",
    ),
    *(
        "value",
        "name: ",
        "<",
        ">",
        "</",
        "|",
        " is ",
        "==",
        "%3D",
        "insert into t (password) values ('",
        "identified by '",
    ),
)
hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=40).map("".join)


@settings(max_examples=1200, deadline=None)
@given(hostile)
def test_redacting_twice_is_redacting_once_on_hostile_text(text: str) -> None:
    once, counts = redact_counted(text)
    assert redact_counted(once) == (once, Counter())
    assert redact_counted(text) == (once, counts)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_no_text_makes_it_raise(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_a_marker_of_no_known_kind_hides_nothing() -> None:
    token = "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    assert redact(f"[redacted: {token}]") == "[redacted: [redacted: github-token]]"
    assert redact("password=[redacted: password]hunter") == "password=[redacted: password]hunter"


def test_a_text_that_keeps_yielding_secrets_goes_as_a_whole() -> None:
    text = "sig=" * 20_000
    once = redact(text)
    assert redact(once) == once
    assert len(once) < 1000
