"""Optional libraries, compiled extensions and what they ask of the process: used by every other folder."""
