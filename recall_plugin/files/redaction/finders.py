"""Which finder is called for which word. The word is looked for in lower case."""

from __future__ import annotations

from recall_plugin.files.redaction.named import named_values
from recall_plugin.files.redaction.phrases import (
    PHRASES,
    authorization,
    braintree,
    cookies,
    flags,
    inserts,
    phrases,
    schemes,
    signatures,
    urls,
    user_options,
)
from recall_plugin.files.redaction.private_keys import jwks, private_keys, putty_keys
from recall_plugin.files.redaction.seen import Finder

FINDERS: tuple[tuple[bytes, Finder], ...] = (
    *(
        (word, named_values)
        for word in (b"pass", b"pw", b"secret", b"token", b"key", b"cred", b"auth", b"_pat", b"psk")
    ),
    *((word, named_values) for word in (b"mnemonic", b"phrase")),
    (b"private key", private_keys),
    (b"putty-user-key-file", putty_keys),
    (b'"kty', jwks),
    (b"authorization", authorization),
    (b"bearer ", schemes),
    (b"basic ", schemes),
    (b"://", urls),
    (b"sig=", signatures),
    (b"signature=", signatures),
    (b"access_token$", braintree),
    (b" -", flags),
    (b"-user", user_options),
    *((word, phrases) for word in PHRASES),
    (b"insert into", inserts),
    (b"cookie", cookies),
)
