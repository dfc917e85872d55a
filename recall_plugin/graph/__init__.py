"""Layer 0: the store, its vectors and its models. The only importer of surrealdb and fastembed.

Asynchronous, on one loop; embedding and file work run in threads.
"""
