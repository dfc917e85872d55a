"""Random secrets in random text vanish, and their surroundings stay."""

from __future__ import annotations

import random
import string
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_plugin.files.redaction import redact, redact_counted

DIGITS = string.digits
HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + string.digits


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
around = st.text(alphabet="bdfgijlmnoruvxyz 0.,()\näöü漢字🙂", max_size=60)
"""Letters of which no trigger can be made, whatever stands next to them."""
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
