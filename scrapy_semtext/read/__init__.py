"""From labeled blocks to the results of a page: title, text, metadata, markup, Markdown."""
