"""What a page's blocks are described by, computed once for all models."""
