"""Classification of lines as titles, prose or miscellany, and the sections of a page."""
