"""The quality gate: real pages, the floors that the shipped bundle must keep on them, and how to update these."""
