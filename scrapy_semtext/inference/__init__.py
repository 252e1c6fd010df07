"""Models evaluated with numpy: the network, its CRF, tree ensembles, word vectors, and their storage."""
