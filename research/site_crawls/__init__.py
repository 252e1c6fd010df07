"""Crawls of real software that is started on this machine and holds known texts: what a crawler finds, and its cost."""
