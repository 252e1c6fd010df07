"""Site templates: blocks that pages of a site share, learnt during a crawl or from a finished set of pages."""
