"""Labelled blocks, and the page's own markup, to what they mean: title, sections, question-answer pairs."""
