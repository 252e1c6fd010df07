"""Posts, threads and FAQ lists of a page, and the question-answer pairs in them."""
