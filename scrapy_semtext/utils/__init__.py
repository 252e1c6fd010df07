"""Optional dependencies, compiled extensions and process settings."""
