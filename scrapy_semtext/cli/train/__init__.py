"""``semtext train NAME``: train one part of a bundle."""
