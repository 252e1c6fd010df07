"""Web2Text, a labeler (Vogels, Ganea & Eickhoff 2018, "Web2Text: Deep Structured Boilerplate Removal")."""
