"""``semtext benchmark NAME``: measure what pages or crawls cost."""
