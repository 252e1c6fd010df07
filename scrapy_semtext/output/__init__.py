"""Labeled blocks to what a page becomes: title, text, metadata, markup, Markdown."""
