"""What a crawl of real pages over loopback costs, with and without the plugin. For `semtext benchmark crawl` alone."""
