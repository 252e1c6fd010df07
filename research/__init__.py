"""Comparisons and measurements that the documentation cites, and makers of training pages. They are not installed.

Run one in a checkout of the repository with ``python -m research.NAME --help``; research/notes/README.md lists them.
"""
