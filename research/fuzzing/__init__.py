"""Hostile pages grown from real ones, and what has to hold whatever a page is. `python -m research.fuzzing` runs it."""
