"""Words, names, tags, stop words and languages of texts."""
