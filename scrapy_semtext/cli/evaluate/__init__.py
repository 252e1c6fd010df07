"""``semtext evaluate NAME``: measure one result on annotated pages."""
