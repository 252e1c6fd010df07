"""Worker processes that read pages for a crawl, for machines with more cores than one thread of Python can use."""
