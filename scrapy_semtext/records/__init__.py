"""Records: the items of the main list of a page, such as an index of articles or a product listing."""
