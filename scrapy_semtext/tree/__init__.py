"""A page's tree: elements, tags, text blocks (SCS) and the scopes around them."""
