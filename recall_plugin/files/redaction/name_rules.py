"""The names under which secrets are kept."""

from __future__ import annotations

# A name is normalised first: camelCase and separators become "_", all lower case ("dbPassword-2" → "db_password_2").

_AFTER = (  # words that may follow the secret word without changing what it is
    r"(?:_?\d++|_(?:v\d|prod|production|dev|development|stage|staging|test|testing|qa|local|live|sandbox|old|new|current"
    r"|previous|primary|secondary|main|default|base|b64|hex|str|string|plain|plaintext|raw|value|val|admin|root|user|ro|rw"
    r"|read|write|readonly|internal|external|master|eu|us|de)(?=_|\d|$))*+$"
)
PASSWORD_NAME = (
    r"(?:password|passwd|passwort|kennwort|passphrase|pass_phrase|passcode|pwd|userpass|dbpass|(?:store|key|require|sudo|become|root|admin|wifi|login)pass|masterauth|(?:^|_)pw|(?:^|_)psk|(?<!by)_pass)s?"
    + _AFTER
)
PASS_NAME = r"^pass$"
SECRET_NAME = r"secrets?" + _AFTER
TOKEN_NAME = r"(?:token|(?:api|auth|access|bearer)_tokens)" + _AFTER
NOT_A_SECRET_TOKEN = (
    r"(?:^|_)(?:max|min|num|n|total|prompt|completion|input|output|next|page|continuation|start|stop|end|eos|bos|pad|unk|sep"
    r"|cls|mask|special|cancellation|cancel|sync|resume|scroll|cursor|position|change|design|per|first|last|lex|parse"
    r"|op|string|begin|image|audio|media|think|non|unexpected|next_page|page_next|syntax|pagination|shift|public_key)_?token"
)
KEY_NAME = (
    r"(?:api|secret|access|private|priv|encryption|encrypt|decryption|signing|sign|signature|master|account|storage|auth"
    r"|authentication|shared|subscription|service|role|session|hmac|jwt|jws|deploy|app|application|consumer|webhook|client"
    r"|ssh|tls|ssl|license|licence|integration|admin|server|root|bot|management|personal|crypto|wallet|cookie|csrf|xsrf"
    r"|recovery|backup|ingest|ingestion|functions?|host|aes|rsa|ecdsa|fernet|pgp|gpg|preshared|pre_shared|tunnel|vault"
    r"|unseal|dkim|sops|bearer|openai|azure|mistral|cohere|groq|gemini|anthropic|stripe|sendgrid|mailgun|twilio|algolia"
    r"|datadog|newrelic|new_relic|rapidapi|maps|firebase|supabase|airtable|notion|hf|deepgram|elevenlabs|wandb)"
    r"_?keys?(?:_data)?" + _AFTER
)
NOT_A_SECRET_KEY = (
    r"(?:public|pub|publishable|primary|foreign|cache|sort|partition|routing|registry|hot|issue|project|object|s3"
    r"|idempotency|dedup|dedupe|hash|range|unique|composite|index|group|message|lookup|map|dict|storage_object|config"
    r"|setting|translation|i18n|locale|row|record|event|anon|shard|bucket|instrumentation|candidate|natural|surrogate)_?key"
)
CREDENTIALS_NAME = r"(?:(?<!amz_)(?<!goog_)credentials?|creds)$"
AUTH_NAME = r"^_?(?:auth|authconfig)$"
MNEMONIC_NAME = r"(?:mnemonic|seed_phrase|recovery_phrase|seed_words)$"

SCHEMES = frozenset(("bearer", "token", "apikey", "api-key", "ssws", "bot", "key", "oauth", "splunk", "jwt", "sso-key"))
"""The schemes of Authorization headers whose credential is one opaque word."""
