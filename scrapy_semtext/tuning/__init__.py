"""Corrections for one site, learned from pages that a person has labeled: site models and rules.

Neither torch nor a compiler is needed. The shipped models are not changed; each page is scored once, and the effect of
a correction is computed from its scores.
"""
