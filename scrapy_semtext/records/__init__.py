"""Records: the items of the main list of a page that lists others."""
