"""A command that runs another one bound by permissions like anybody's, also where the tests run as root."""

from __future__ import annotations

import os

# Root without its capabilities.
PLAIN_USER = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
