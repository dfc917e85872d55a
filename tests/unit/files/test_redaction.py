"""What is a secret vanishes and what is none stays, on lists of both, on random text, and in linear time.

The rows of tests/data/redaction hold their made-up secrets in pieces, so that no scanner takes them for real ones.
In a row, ⟦S⟧ stands for the secret, and ⟦1⟧, ⟦2⟧, … for the others that the text holds.

What may go either way, and how it is decided: a weak word under the name of a password ("changeme", "postgres") is a
password that opens doors, and goes; a word that says nothing ("password", "secret", "example") and a placeholder
("<your-key>", "xxxx", "your-key-here", $VARIABLE) stay.
"""

from __future__ import annotations

import base64
import json
import random
import string
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.files.redaction import KINDS, redact, redact_counted

DATA = Path(__file__).parents[2] / "data" / "redaction"
DIGITS = string.digits
HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + string.digits


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def _positive(row: dict[str, Any]) -> tuple[str, str, Counter[str]]:
    """The text of a row, what is expected of it, and the kinds that are found in it."""
    text = expected = row["text"]
    secrets = [("S", row["kind"], row["secret"])]
    secrets += [(str(index), kind, pieces) for index, (kind, *pieces) in enumerate(row.get("also", []), 1)]
    for label, kind, pieces in secrets:
        text = text.replace(f"⟦{label}⟧", "".join(pieces))
        expected = expected.replace(f"⟦{label}⟧", f"[redacted: {kind}]")
    return text, expected, Counter(kind for _, kind, _ in secrets)


POSITIVES = _rows("positives.jsonl")
NEGATIVES = [row["text"] if isinstance(row["text"], str) else "".join(row["text"]) for row in _rows("negatives.jsonl")]


@pytest.mark.parametrize("row", POSITIVES, ids=lambda row: row["kind"])
def test_exactly_the_secret_is_replaced_by_the_marker_of_its_kind(row: dict[str, Any]) -> None:
    text, expected, kinds = _positive(row)
    found, counts = redact_counted(text)
    assert found == expected
    assert counts == kinds
    assert redact(found) == found


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_no_secret_comes_back_unchanged(text: str) -> None:
    assert redact_counted(text) == (text, Counter())


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert len(POSITIVES) >= 150
    assert len({row["kind"] for row in POSITIVES}) >= 50
    assert len(NEGATIVES) >= 150
    assert {row["kind"] for row in POSITIVES} <= KINDS


def test_all_positives_in_one_text_are_found_as_well() -> None:
    texts, expected, _ = zip(*map(_positive, POSITIVES), strict=True)
    assert redact("\n\n".join(texts)) == "\n\n".join(expected)


@pytest.mark.parametrize("row", POSITIVES, ids=lambda row: row["kind"])
def test_a_secret_is_found_in_text_that_was_put_into_json(row: dict[str, Any]) -> None:
    text, _, _ = _positive({**row, "text": f"x\n{row['text']}\ny"})
    elsewhere, _, _ = _positive({**row, "text": f"x\n{row['text']}\ny", "secret": [""]})
    secret = json.dumps("".join(row["secret"]))[1:-1]
    found = redact(json.dumps(text))
    assert found.count(secret) == json.dumps(elsewhere).count(secret)


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_no_secret_is_none_in_json_either(text: str) -> None:
    assert redact(json.dumps(text)) == json.dumps(text)
    assert redact(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("length", [300, 5000, 100_000])
def test_a_long_value_goes_to_its_end(length: int) -> None:
    value = ("aB3dE5fG7h" * (length // 10 + 1))[:length]
    assert redact(f'API_SECRET="{value}" x') == 'API_SECRET="[redacted: secret-value]" x'
    assert redact(f"API_SECRET={value} x") == "API_SECRET=[redacted: secret-value] x"


# --- random secrets in random text ---------------------------------------------------------------------------------


def _of(alphabet: str, length: int) -> Callable[[random.Random], str]:
    """A body with at least one digit, which every real token of that length as good as always has."""

    def body(rng: random.Random) -> str:
        while True:
            text = "".join(rng.choices(alphabet, k=length))
            if not length or (len(set(text)) > 5 and any(map(str.isdigit, text))) or length < 8:
                return text

    return body


Shape = tuple[str, tuple[str | Callable[[random.Random], str], ...]]
SHAPES: tuple[Shape, ...] = (
    ("aws-access-key", ("AK", "IA", _of(UPPER, 16))),
    ("google-api-key", ("AI", "za", _of(WORD, 35))),
    ("google-oauth-secret", ("GOC", "SPX-", _of(WORD, 28))),
    ("google-oauth-token", ("ya", "29.", _of(WORD, 60))),
    ("github-token", ("gh", "p_", _of(ALNUM, 36))),
    ("github-token", ("gh", "s_", _of(ALNUM, 36))),
    ("github-token", ("github", "_pat_", _of(ALNUM, 22), "_", _of(ALNUM, 59))),
    ("gitlab-token", ("gl", "pat-", _of(WORD, 20))),
    ("bitbucket-token", ("AT", "BB", _of(ALNUM, 32))),
    ("atlassian-token", ("AT", "ATT3", _of(WORD, 180))),
    ("slack-token", ("xo", "xb-", _of(DIGITS, 12), "-", _of(ALNUM, 24))),
    ("telegram-token", (_of("123456789", 9), ":A", "A", _of(WORD, 33))),
    ("twilio-key", ("S", "K", _of(HEX, 32))),
    ("sendgrid-key", ("S", "G.", _of(WORD, 22), ".", _of(WORD, 43))),
    ("mailgun-key", ("ke", "y-", _of(HEX, 32))),
    ("mailchimp-key", (_of(HEX, 32), "-u", "s", _of("123456789", 1))),
    ("stripe-key", ("sk_", "live_", _of(ALNUM, 24))),
    ("stripe-key", ("rk_", "test_", _of(ALNUM, 99))),
    ("stripe-webhook-secret", ("wh", "sec_", _of(ALNUM, 32))),
    ("square-token", ("sq0", "atp-", _of(WORD, 22))),
    ("shopify-token", ("shp", "at_", _of(HEX, 32))),
    ("openai-key", ("sk", "-proj-", _of(WORD, 120))),
    ("openai-key", ("sk", "-", _of(ALNUM, 48))),
    ("anthropic-key", ("sk", "-ant-", "api03-", _of(WORD, 95))),
    ("xai-key", ("xa", "i-", _of(ALNUM, 80))),
    ("groq-key", ("gs", "k_", _of(ALNUM, 52))),
    ("huggingface-token", ("h", "f_", _of(ALNUM, 34))),
    ("replicate-token", ("r", "8_", _of(ALNUM, 37))),
    ("perplexity-key", ("pp", "lx-", _of(ALNUM, 48))),
    ("npm-token", ("np", "m_", _of(ALNUM, 36))),
    ("pypi-token", ("py", "pi-", "AgEI", _of(WORD, 150))),
    ("rubygems-key", ("ruby", "gems_", _of(HEX, 48))),
    ("crates-token", ("ci", "o", _of(ALNUM, 32))),
    ("docker-token", ("dckr", "_pat_", _of(WORD, 27))),
    ("digitalocean-token", ("dop", "_v1_", _of(HEX, 64))),
    ("supabase-token", ("sb", "p_", _of(HEX, 40))),
    ("databricks-token", ("da", "pi", _of(HEX, 32))),
    ("newrelic-key", ("NR", "AK-", _of(UPPER, 27))),
    ("sentry-token", ("snt", "ryu_", _of(HEX, 64))),
    ("grafana-token", ("gl", "sa_", _of(ALNUM, 32), "_", _of(HEX, 8))),
    ("linear-key", ("lin", "_api_", _of(ALNUM, 40))),
    ("notion-token", ("nt", "n_", _of(ALNUM, 46))),
    ("airtable-token", ("pa", "t", _of(ALNUM, 14), ".", _of(HEX, 64))),
    ("figma-token", ("fi", "gd_", _of(WORD, 40))),
    ("postman-key", ("PM", "AK-", _of(HEX, 24), "-", _of(HEX, 34))),
    ("terraform-token", (_of(ALNUM, 14), ".atl", "asv1.", _of(WORD, 67))),
    ("vault-token", ("hv", "s.", _of(WORD, 90))),
    ("age-secret-key", ("AGE-SEC", "RET-KEY-1", _of(UPPER, 58))),
    ("doppler-token", ("dp", ".pt.", _of(ALNUM, 43))),
    ("pulumi-token", ("pu", "l-", _of(HEX, 40))),
    ("jwt", ("ey", "J", _of(WORD, 30), ".ey", "J", _of(WORD, 50), ".", _of(WORD, 43))),
    ("private-key", ("-----BEG", "IN PRIV", "ATE KEY-----\n", _of(BASE64, 64), "\n-----E", "ND PRIV", "ATE KEY-----")),
)
NAMED: tuple[tuple[str, str, Callable[[random.Random], str]], ...] = (
    ("aws-secret-key", "aws_secret_access_key = {}\n", _of(BASE64, 40)),
    ("azure-storage-key", "AccountName=x;AccountKey={};Suffix=y", _of(ALNUM, 86)),
    ("heroku-key", "HEROKU_API_KEY={}\n", _of(HEX, 36)),
    ("datadog-key", "DD_API_KEY: {}\n", _of(HEX, 32)),
    ("cloudflare-key", 'cloudflare_api_token = "{}"', _of(WORD, 40)),
    ("mistral-key", '"MISTRAL_API_KEY": "{}"', _of(ALNUM, 32)),
    ("secret-value", "https://x.dev/?api_key={}&n=1", _of(ALNUM, 32)),
    ("secret-value", "X-Api-Key: {}\n", _of(HEX, 32)),
    ("secret-value", '{{\\"client_secret\\": \\"{}\\"}}', _of(ALNUM, 40)),
    ("authorization", "Authorization: Bearer {}\n", _of(ALNUM, 40)),
    ("url-password", "postgres://u:{}@h/d", _of(ALNUM, 12)),
    ("password", "DB_PASSWORD={}\n", _of(ALNUM, 10)),
    ("password", "password: '{}'", _of(ALNUM + "!#%^&*", 12)),
    ("password", "Server=x;Password={};Encrypt=true", _of(ALNUM, 12)),
    ("password", "mysql -u root -p{} -h h", _of(ALNUM, 12)),
)
# Letters of which no trigger can be made, whatever stands next to them.
around = st.text(alphabet="bdfgijlmnoruvxyz 0.,()\näöü漢字🙂", max_size=60)
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize(("kind", "pieces"), SHAPES, ids=[kind for kind, _ in SHAPES])
@settings(max_examples=12, deadline=None, derandomize=True)  # chance makes a word of a token now and then
@given(sides=st.tuples(around, around), edge=st.sampled_from([" ", "\n", '"', "'", "(", "\\n", "`", ">"]), seed=seeds)
def test_a_random_token_vanishes_and_its_surroundings_stay(
    kind: str, pieces: tuple[Any, ...], sides: tuple[str, str], edge: str, seed: int
) -> None:
    rng = random.Random(seed)
    before, after = sides
    token = "".join(piece if isinstance(piece, str) else piece(rng) for piece in pieces)
    end = " " if edge in {"(", ">", "\\n"} else edge
    assert redact(f"{before}{edge}{token}{end}{after}") == f"{before}{edge}[redacted: {kind}]{end}{after}"


@pytest.mark.parametrize(("kind", "template", "body"), NAMED, ids=[kind for kind, _, _ in NAMED])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(sides=st.tuples(around, around), seed=seeds)
def test_a_random_value_under_the_name_of_a_secret_vanishes_and_its_surroundings_stay(
    kind: str, template: str, body: Callable[[random.Random], str], sides: tuple[str, str], seed: int
) -> None:
    before, after = sides
    text = f"{before}\n{template}\n{after}"
    value = body(random.Random(seed))
    assert redact(text.format(value)) == text.format(f"[redacted: {kind}]")


@settings(max_examples=200, deadline=None)
@given(around)
def test_text_without_any_trigger_comes_back_unchanged(text: str) -> None:
    assert redact_counted(text) == (text, Counter())


# --- idempotence -----------------------------------------------------------------------------------------------------

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


# --- time ------------------------------------------------------------------------------------------------------------

MEGABYTE = 1_000_000
UNITS = (
    *(
        "key=",
        "token:",
        'password="',
        "://a:b@",
        "ey" + "J",
        "ey" + "Ja.",
        "sk-ant-",
        "-----BEG" + "IN PRIVATE KEY-----\n",
    ),
    *(
        "-----E" + "ND PRIVATE KEY-----",
        "PuTTY-User-Key-File-2: x\n",
        "password: str = ",
        " ",
        "cookie: a=",
        "\\",
        "mysql -p",
    ),
)


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    text = (unit * (MEGABYTE // 2 // len(unit) + 1))[: MEGABYTE // 2]
    start = time.perf_counter()
    redact(text)
    assert time.perf_counter() - start < 10  # about 0.3 s; a quadratic rule takes minutes


@pytest.mark.parametrize("kind", ["a", "=", "base64"])
def test_five_megabytes_of_nothing_pass_quickly_and_unchanged(kind: str) -> None:
    if kind == "base64":
        text = base64.b64encode(random.Random(1).randbytes(5 * MEGABYTE * 3 // 4)).decode()
    else:
        text = kind * (5 * MEGABYTE)
    start = time.perf_counter()
    assert redact(text) == text
    assert time.perf_counter() - start < 10


def test_typical_text_is_read_at_megabytes_per_second() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path(json.__file__).parent.parent.glob("[a-h]*.py"))]
    redact(sources[0])
    start = time.perf_counter()
    for text in sources:
        redact(text)
    speed = sum(map(len, sources)) / (time.perf_counter() - start) / MEGABYTE
    assert speed > 3  # 25 to 33 on an idle core; the bound leaves room for a busy machine
