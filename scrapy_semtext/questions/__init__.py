"""Question-answer pairs from the structure of a page (threads, Q&A pages, FAQ sections), without schema.org markup."""
