"""Questions: what of them is embedded."""

from __future__ import annotations

from recall_plugin.domain.matching.query import SPAN, query_terms
from recall_plugin.domain.text.folding import fold
from recall_plugin.domain.text.words import token_pattern


def embedded_query(query: str) -> str:
    """What of `query` is embedded: all but the words of a span of time ("last week"); all where nothing else is asked.

    A model takes whatever else happened last week for more alike than what was decided then; an answer seldom says when
    it was given. The words still count as terms, at their low weight.
    """
    terms = query_terms(query)
    spans = {term.text for term in terms if term.weight == SPAN}
    if not spans or not any(term.is_content for term in terms):
        return query
    # Spaces take the place of what is left out, so that no two words become one; the model makes nothing of them.
    return token_pattern(query).sub(lambda word: " " if fold(word[0]).removesuffix("'s") in spans else word[0], query)
