"""The model: word vectors, network, conditional random field, and the bundle that holds them."""
