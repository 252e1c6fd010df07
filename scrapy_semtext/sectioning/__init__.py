"""The lines of a page to titles, prose and miscellany, and to a tree of sections."""
