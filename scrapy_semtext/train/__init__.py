"""Training and evaluation; nothing here is imported for extraction."""
