"""The journal's events, and the fold that makes entities, relations and the account of them."""
