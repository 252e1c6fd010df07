"""What kind a page is of: an article, a listing, a product and so on, by trees over its numbers and its words."""
