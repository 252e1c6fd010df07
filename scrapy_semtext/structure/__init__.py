"""What a page's tree says of its blocks, for gradient-boosted trees: subtrees, repetition, names around, the page."""
