"""Finding passages: an exact scan, lexical and dense, over files beside the store that can be rebuilt from it."""
