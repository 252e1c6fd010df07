"""Worker processes that extract pages for a crawl, on machines with more cores than one Python thread can use."""
