"""Episodes: the fragments of an archive that are found by meaning."""
