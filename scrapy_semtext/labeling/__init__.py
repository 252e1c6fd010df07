"""Labels by people: which pages to label, a local server to correct the labels, and the file that stores them."""
