"""Labels by people: which pages to ask for, a local server to correct them in, and the file that keeps them."""
