"""What is done with question-answer pairs once they are read: filters, duplicates, rows. No Scrapy."""
