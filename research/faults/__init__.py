"""Crawls that are killed or stopped again and again, and resumed."""
