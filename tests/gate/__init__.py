"""The quality gate: real pages, the floors the shipped bundle has to keep on them, and how to set these anew."""
