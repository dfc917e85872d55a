"""Texts become vectors, on this machine.

The model "minilm-int8" comes with the package index and needs no network; any model of fastembed's catalogue can be
named instead, where the hub can be reached or the model was fetched before. Importing this imports no model library.
"""

from recall_plugin.graph.embedding.bundled import NAME as DEFAULT_MODEL
from recall_plugin.graph.embedding.embedder import EmbeddedBatch, Embedder, open_embedder
from recall_plugin.graph.embedding.identity import ModelIdentity

__all__ = ["DEFAULT_MODEL", "EmbeddedBatch", "Embedder", "ModelIdentity", "open_embedder"]
