"""Training and measuring; nothing here is imported when pages are read."""
