"""Web2Text, a labeller (Vogels, Ganea & Eickhoff 2018, "Web2Text: Deep Structured Boilerplate Removal")."""
