"""A page's lines, told to be titles, prose or miscellany, and its sections."""
