"""Features of a page's blocks, computed once for all models."""
