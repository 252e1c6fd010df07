"""Classification of lines as title, prose or miscellany, and the sections of a page."""
