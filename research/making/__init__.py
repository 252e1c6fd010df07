"""Makes pages of other pages: variants of threads, and articles with comments below them."""
