"""Chunks: the main text of a page in pieces for retrieval, cut along its sections."""
