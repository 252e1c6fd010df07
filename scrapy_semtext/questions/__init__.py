"""Question-answer pairs from the structure of a page: threads, Q&A pages and FAQ sections, without schema.org markup."""
