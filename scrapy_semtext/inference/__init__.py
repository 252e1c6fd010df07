"""Models read with numpy: the network, its CRF, tree ensembles, word vectors, and how they are stored."""
