"""Corrections for one site, learnt from pages that a person has labeled: site models and rules.

Neither torch nor a compiler is needed. The shipped models stay as they are; a page is read once, and what a correction
changes is computed from its scores.
"""
