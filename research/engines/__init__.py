"""Pages of real forum, Q&A, ticket and comment software, served on this machine with posts that are known."""
