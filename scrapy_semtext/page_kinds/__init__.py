"""The kind of a page: article, thread, listing and so on."""
