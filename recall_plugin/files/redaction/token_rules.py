"""What a secret looks like: the data that `redaction` works with.

The shapes of vendors' tokens (prefix, alphabet, length) are public facts, written down here afresh; no rule was copied.
Regular expressions stand here as text: they are compiled when a text first needs them, so importing stays cheap.
"""

from __future__ import annotations

from typing import NamedTuple

AN = "[A-Za-z0-9]"
HEX = "[0-9a-f]"
WORD = "[A-Za-z0-9_-]"
B64 = "[A-Za-z0-9+/=]"
UUID = f"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}"
_ALONE = r"(?![A-Za-z0-9])"


class TokenRule(NamedTuple):
    """A vendor's token, known by a literal prefix.

    kind: what the marker says.
    prefixes: the literals that announce it.
    body: the regular expression of what follows the prefix; its repetitions are bounded (linear time).
    word_start: the prefix is short or a common syllable, so it counts only where a word begins.
    left: (alphabet, least, most) of what belongs to the token on the left of the "prefix".
    digit: the body must contain a digit, else it is a name.
    """

    kind: str
    prefixes: tuple[str, ...]
    body: str
    word_start: bool = False
    left: tuple[str, int, int] | None = None
    digit: bool = False


LETTERS_DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

TOKEN_RULES: tuple[TokenRule, ...] = (
    # clouds
    TokenRule("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), f"[A-Z0-9]{{16}}{_ALONE}", True),
    TokenRule("aws-bedrock-key", ("ABSK",), f"{B64}{{80,400}}", True),
    TokenRule("aws-bedrock-key", ("bedrock-api-key-",), r"[A-Za-z0-9+/=_-]{40,4000}"),
    TokenRule("google-api-key", ("AIza",), f"{WORD}{{33,60}}", True),
    TokenRule("google-api-key", ("AQ.Ab",), f"{WORD}{{38,200}}", True),
    TokenRule("google-oauth-secret", ("GOCSPX-",), f"{WORD}{{20,60}}"),
    TokenRule("google-oauth-token", ("ya29.",), r"[A-Za-z0-9_.-]{20,2000}"),
    TokenRule("google-oauth-token", ("1//0",), f"{WORD}{{30,300}}", True),
    TokenRule("azure-client-secret", ("Q~",), r"[A-Za-z0-9_~.-]{31,36}", left=(LETTERS_DIGITS, 4, 4), digit=True),
    TokenRule("azure-key", ("JQQJ9",), f"{AN}{{20,40}}={{0,2}}", left=(LETTERS_DIGITS, 52, 52)),
    TokenRule("alibaba-access-key", ("LTAI",), f"{AN}{{16,26}}{_ALONE}", True, digit=True),
    TokenRule("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), f"{HEX}{{60,70}}"),
    TokenRule("fly-token", ("FlyV1 ",), r"[A-Za-z0-9_+/=,-]{20,8000}"),
    TokenRule("fly-token", ("fm1r_", "fm1a_", "fm2_"), f"{B64}{{60,8000}}"),
    TokenRule("fly-token", ("fo1_",), f"{WORD}{{36,80}}", True),
    TokenRule("heroku-key", ("HRKU-",), f"{WORD}{{30,100}}"),
    TokenRule("cloudflare-key", ("v1.0-",), f"{HEX}{{24}}-{HEX}{{100,160}}", True),
    TokenRule("cloudflare-key", ("cfut_", "cfat_", "cfk_"), f"{WORD}{{36,80}}", True, digit=True),
    TokenRule("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), f"{AN}{{24,80}}", True, digit=True),
    TokenRule("vercel-token", ("vercel_blob_rw_",), r"[A-Za-z0-9_]{20,120}"),
    TokenRule("netlify-token", ("nfp_", "nfc_", "nfo_", "nfb_", "nfu_"), f"{AN}{{34,60}}", True),
    TokenRule("render-key", ("rnd_",), f"{AN}{{26,60}}", True, digit=True),
    TokenRule("planetscale-token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[A-Za-z0-9_.=-]{28,80}"),
    TokenRule("neon-key", ("napi_",), f"{AN}{{50,80}}", True),
    TokenRule("supabase-token", ("sbp_", "sbp_v0_"), f"{HEX}{{40}}", True),
    TokenRule("supabase-token", ("sb_secret_",), f"{WORD}{{20,80}}"),
    TokenRule("databricks-token", ("dapi",), f"{HEX}{{32}}(?:-[0-9]{{1,2}})?{_ALONE}", True),
    TokenRule("terraform-token", (".atlasv1.",), f"{WORD}{{40,120}}", left=(LETTERS_DIGITS, 14, 14)),
    TokenRule("pulumi-token", ("pul-",), f"{HEX}{{40}}{_ALONE}", True),
    TokenRule("vault-token", ("hvs.", "hvb.", "hvr."), f"{WORD}{{24,300}}", True),
    TokenRule(
        "doppler-token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        rf"(?:[a-z0-9_-]{{2,35}}\.)?{AN}{{38,60}}",
    ),
    TokenRule("openshift-token", ("sha256~",), f"{WORD}{{43}}", True),
    TokenRule("docker-swarm-token", ("SWMTKN-",), r"[0-9]-[a-z0-9]{40,60}-[a-z0-9]{20,30}"),
    TokenRule("tailscale-key", ("tskey-",), f"{WORD}{{16,100}}", digit=True),
    TokenRule("scalingo-token", ("tk-us-",), f"{WORD}{{48}}", True),
    TokenRule("akamai-token", ("akab-",), f"{WORD}{{20,60}}", True, digit=True),
    # code hosts and package registries
    TokenRule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), f"{AN}{{30,300}}"),
    TokenRule("github-token", ("github_pat_",), r"[A-Za-z0-9_]{36,120}"),
    TokenRule(
        "gitlab-token",
        (
            *("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-"),
            *("gloas-", "glsoat-", "glffct-", "glwt-", "GR1348941"),
        ),
        rf"{WORD}{{20,300}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{7,10}})?",
        digit=True,
    ),
    TokenRule("bitbucket-token", ("ATBB",), f"{AN}{{24,60}}{_ALONE}", True, digit=True),
    TokenRule("bitbucket-token", ("ATCTT3",), r"[A-Za-z0-9_=-]{40,400}"),
    TokenRule("atlassian-token", ("ATATT3", "ATSTT3"), r"[A-Za-z0-9_=-]{20,400}"),
    TokenRule("npm-token", ("npm_",), f"{AN}{{34,60}}", digit=True),
    TokenRule("pypi-token", ("pypi-Ag",), f"{WORD}{{40,400}}"),
    TokenRule("rubygems-key", ("rubygems_",), f"{HEX}{{44,52}}"),
    TokenRule("crates-token", ("cio",), f"{AN}{{32}}(?![A-Za-z0-9_/+-])", True, digit=True),
    TokenRule("docker-token", ("dckr_pat_", "dckr_oat_"), f"{WORD}{{20,80}}"),
    TokenRule("nuget-key", ("oy2",), f"[a-z0-9]{{43}}{_ALONE}", True),
    TokenRule("clojars-token", ("CLOJARS_",), r"[a-z0-9]{58,62}"),
    TokenRule("jetbrains-token", ("perm:", "perm-"), r"[A-Za-z0-9_=-]{4,60}\.[A-Za-z0-9_=-]{4,60}\.[A-Za-z0-9]{20,60}"),
    TokenRule("artifactory-token", ("AKCp", "cmVmdGtuOj"), f"{AN}{{50,120}}", True),
    TokenRule("sonar-token", ("squ_", "sqp_", "sqa_"), f"{HEX}{{40}}", True),
    TokenRule("sourcegraph-token", ("sgp_", "slk_"), r"[0-9a-f_]{40,80}", True),
    TokenRule("buildkite-token", ("bkua_",), f"{HEX}{{40}}"),
    TokenRule("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"[A-Za-z0-9_]{30,120}"),
    TokenRule("harness-token", ("pat.", "sat."), rf"{WORD}{{22}}\.{HEX}{{24}}\.{AN}{{20}}", True),
    TokenRule("prefect-token", ("pnu_", "pnb_"), f"{AN}{{36}}", True),
    TokenRule("infracost-key", ("ico-",), f"{AN}{{32}}{_ALONE}", True, digit=True),
    TokenRule("launchdarkly-key", ("sdk-",), UUID, True),
    # chat and mail
    TokenRule(
        "slack-token",
        (
            *("xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxe.", "xoxs-", "xoxo-", "xoxr-", "xoxc-", "xoxd-", "xapp-"),
            "xwfp-",
        ),
        r"[A-Za-z0-9_%.+/=-]{16,400}",
        digit=True,
    ),
    TokenRule("telegram-token", (":AA",), f"{WORD}{{32,34}}(?![A-Za-z0-9_-])", left=("0123456789", 8, 10)),
    TokenRule("twitch-token", ("oauth:",), f"[a-z0-9]{{30}}{_ALONE}", True, digit=True),
    TokenRule("twilio-key", ("SK",), f"{HEX}{{32}}{_ALONE}", True),
    TokenRule("sendgrid-key", ("SG.",), rf"{WORD}{{16,32}}\.{WORD}{{32,64}}", True),
    TokenRule("mailgun-key", ("key-",), f"{HEX}{{32}}{_ALONE}", True),
    TokenRule("mailchimp-key", ("-us",), f"[0-9]{{1,2}}{_ALONE}", left=("0123456789abcdef", 32, 32)),
    TokenRule("brevo-key", ("xkeysib-", "xsmtpsib-"), f"{HEX}{{64}}-{AN}{{8,32}}"),
    TokenRule("mailersend-token", ("mlsn.",), f"{HEX}{{60,70}}"),
    TokenRule("resend-key", ("re_",), rf"{AN}{{6,12}}_{AN}{{18,40}}", True, digit=True),
    TokenRule("hubspot-token", ("pat-na", "pat-eu"), f"[0-9]-{UUID}", True),
    # money
    TokenRule("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), f"{AN}{{16,300}}"),
    TokenRule("stripe-webhook-secret", ("whsec_",), r"[A-Za-z0-9+/=_-]{24,120}", digit=True),
    TokenRule("square-token", ("sq0csp-", "sq0atp-"), f"{WORD}{{20,60}}"),
    TokenRule("square-token", ("EAAA",), rf"(?<![+/]EAAA)(?!A){WORD}{{60}}(?![A-Za-z0-9_+/=-])", True, digit=True),
    TokenRule("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"), r"[0-9a-fA-F]{32}"),
    TokenRule("plaid-token", ("access-sandbox-", "access-development-", "access-production-"), UUID),
    TokenRule("easypost-key", ("EZAK", "EZTK"), f"{AN}{{54}}", True),
    TokenRule("flutterwave-key", ("FLWSECK",), r"[A-Za-z0-9_-]{20,60}"),
    TokenRule("shippo-token", ("shippo_live_", "shippo_test_"), f"{HEX}{{40}}"),
    TokenRule("duffel-token", ("duffel_test_", "duffel_live_"), f"{WORD}{{43}}"),
    TokenRule("paddle-key", ("pdl_live_apikey_", "pdl_sdbx_apikey_"), r"[A-Za-z0-9_]{30,90}"),
    # models
    TokenRule("anthropic-key", ("sk-ant-",), f"{WORD}{{20,300}}", True, digit=True),
    TokenRule("openrouter-key", ("sk-or-v1-",), f"{HEX}{{40,80}}", True),
    TokenRule("langfuse-key", ("sk-lf-",), UUID, True),
    TokenRule(
        "openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), f"{WORD}{{20,300}}", True, digit=True
    ),
    TokenRule("openai-key", ("sk-",), f"{AN}{{20,120}}", True, digit=True),
    TokenRule("xai-key", ("xai-",), f"{AN}{{40,120}}", True),
    TokenRule("groq-key", ("gsk_",), f"{AN}{{40,80}}", True),
    TokenRule("cerebras-key", ("csk-",), f"{AN}{{40,80}}", True),
    TokenRule("huggingface-token", ("hf_", "api_org_"), f"{AN}{{30,60}}", True),
    TokenRule("replicate-token", ("r8_",), f"{AN}{{35,60}}", True),
    TokenRule("perplexity-key", ("pplx-",), f"{AN}{{32,80}}"),
    TokenRule("fireworks-key", ("fw_",), f"{AN}{{22,40}}", True, digit=True),
    TokenRule("together-key", ("tgp_v1_",), f"{WORD}{{30,80}}"),
    TokenRule("tavily-key", ("tvly-",), f"{WORD}{{24,80}}", digit=True),
    TokenRule("firecrawl-key", ("fc-",), f"{HEX}{{32}}{_ALONE}", True),
    TokenRule("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), r"[0-9a-f_]{32,60}"),
    TokenRule("nvidia-key", ("nvapi-",), f"{WORD}{{40,100}}"),
    TokenRule("e2b-key", ("e2b_",), f"{HEX}{{40}}", True),
    TokenRule("wandb-key", ("wandb_v1_",), r"[A-Za-z0-9_]{30,120}"),
    TokenRule("jina-key", ("jina_",), r"[A-Za-z0-9_-]{40,90}", True, digit=True),
    TokenRule("pinecone-key", ("pcsk_",), r"[A-Za-z0-9_]{30,100}"),
    TokenRule("elevenlabs-key", ("sk_",), f"{HEX}{{48}}{_ALONE}", True),
    TokenRule("voyage-key", ("pa-",), f"{WORD}{{43}}(?![A-Za-z0-9_-])", True, digit=True),
    TokenRule("runpod-key", ("rpa_",), r"[A-Za-z0-9]{36,60}", True),
    TokenRule("cursor-key", ("crsr_",), f"{HEX}{{60,70}}", True),
    # observability
    TokenRule("newrelic-key", ("NRAK-", "NRII-", "NRIQ-", "NRRA-"), f"{WORD}{{19,60}}", True, digit=True),
    TokenRule("sentry-token", ("sntrys_",), r"[A-Za-z0-9+/=_-]{30,400}"),
    TokenRule("sentry-token", ("sntryu_", "sntrya_"), f"{HEX}{{60,70}}"),
    TokenRule("grafana-token", ("glsa_",), f"{AN}{{32}}_[0-9A-Fa-f]{{8}}"),
    TokenRule("grafana-token", ("glc_", "eyJrIjoi"), f"{B64}{{32,400}}(?![A-Za-z0-9.+/_-])", True),
    TokenRule("dynatrace-token", ("dt0c01.", "dt0s01.", "dt0s16."), r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    TokenRule("posthog-key", ("phx_", "phs_"), f"{AN}{{40,80}}", True),
    TokenRule("honeycomb-key", ("hcaik_", "hcbik_", "hcxik_"), r"[a-z0-9]{30,80}"),
    # work
    TokenRule("linear-key", ("lin_api_", "lin_oauth_"), f"{AN}{{32,80}}"),
    TokenRule("notion-token", ("ntn_",), f"{AN}{{40,60}}", True),
    TokenRule("notion-token", ("secret_",), f"{AN}{{43}}(?![A-Za-z0-9_])", True, digit=True),
    TokenRule("figma-token", ("figd_", "figo_", "figu_"), f"{WORD}{{36,80}}", True),
    TokenRule("postman-key", ("PMAK-",), f"{HEX}{{24}}-{HEX}{{34}}"),
    TokenRule("postman-key", ("PMAT-",), r"[A-Z0-9]{26}"),
    TokenRule("contentful-token", ("CFPAT-",), f"{WORD}{{43}}"),
    TokenRule("readme-key", ("rdme_",), r"[a-z0-9]{60,80}"),
    TokenRule("typeform-token", ("tfp_",), r"[A-Za-z0-9_.-]{40,90}", True),
    TokenRule("mapbox-token", ("sk.eyJ",), rf"{WORD}{{16,300}}\.{WORD}{{16,80}}", True),
    TokenRule("dropbox-token", ("sl.",), f"(?:[a-z]\\.)?{WORD}{{100,300}}", True),
    TokenRule("adobe-secret", ("p8e-",), r"[A-Za-z0-9]{32}", True),
    TokenRule(
        "facebook-token", ("EAAC", "EAAB", "EAAG", "EAAM"), rf"(?<![+/]EAA.){AN}{{80,300}}(?![+/])", True, digit=True
    ),
    # keys
    TokenRule("age-secret-key", ("AGE-SECRET-KEY-1",), r"[0-9A-Z]{50,64}"),
    TokenRule("onepassword-token", ("ops_eyJ",), r"[A-Za-z0-9+/=_-]{60,4000}", True),
    TokenRule(
        "onepassword-token", ("A3-",), r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", True
    ),
    TokenRule("private-key", ("xprv",), f"{AN}{{100,112}}{_ALONE}", True),
    TokenRule(
        "private-key",  # base64 of "-----BEGIN … PRIVATE KEY", as a kubeconfig holds it
        ("LS0tLS1CRUdJTi",),
        "(?:BSU0EgUFJJVkFU|BQUklWQVRF|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZB|BFTkNSWVBURUQgUFJJVkFU|BEU0EgUFJJVkFU"
        f"|BQR1AgUFJJVkFU){B64}{{8,20000}}(?:\\r?\\n[ \\t]{{0,16}}{B64}{{40,200}}){{0,200}}",
    ),
    TokenRule("secret-value", ("secret-token:",), r"[A-Za-z0-9_.~%+/=-]{12,300}", True),
)

# Keys that name a vendor whose keys have no shape of their own: what stands in the (normalised) name, and the kind.
KIND_BY_NAME: tuple[tuple[str, str], ...] = (
    ("aws_secret", "aws-secret-key"),
    ("secret_access_key", "aws-secret-key"),
    ("secretaccesskey", "aws-secret-key"),
    ("aws_session_token", "aws-session-token"),
    ("amz_security_token", "aws-session-token"),
    ("account_key", "azure-storage-key"),
    ("accountkey", "azure-storage-key"),
    ("azure", "azure-key"),
    ("twilio", "twilio-token"),
    ("datadog", "datadog-key"),
    ("dd_api_key", "datadog-key"),
    ("dd_app", "datadog-key"),
    ("heroku", "heroku-key"),
    ("cloudflare", "cloudflare-key"),
    ("cf_api", "cloudflare-key"),
    ("mistral", "mistral-key"),
    ("cohere", "cohere-key"),
    ("co_api_key", "cohere-key"),
    ("vercel", "vercel-token"),
    ("netlify", "netlify-token"),
    ("paypal", "paypal-secret"),
    ("braintree", "braintree-token"),
    ("deepgram", "deepgram-key"),
    ("elevenlabs", "elevenlabs-key"),
    ("wandb", "wandb-key"),
    ("snyk", "snyk-token"),
    ("okta", "okta-token"),
    ("fastly", "fastly-key"),
    ("algolia", "algolia-key"),
    ("pagerduty", "pagerduty-key"),
    ("circle", "circleci-token"),
    ("codecov", "codecov-token"),
)

# Kinds that no table above names. The order is the order of precedence where finds overlap; tables come in between.
FIRST_KINDS = ("private-key",)
OTHER_KINDS = (
    *("jwt", "airtable-token", "discord-token", "discord-webhook", "slack-webhook", "teams-webhook", "zapier-webhook"),
    *("braintree-token", "mailgun-key", "aws-secret-key", "azure-sas", "signed-url", "k3s-token", "azure-storage-key"),
)
LAST_KINDS = ("authorization", "url-password", "session-cookie", "mnemonic", "password", "secret-value")
