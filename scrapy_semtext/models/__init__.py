"""Evaluation of models with numpy or torch: the network, its CRF, tree ensembles, word vectors; their storage."""
