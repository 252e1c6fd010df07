"""Labelers of text blocks: the network, trees, their average, Web2Text and TextSweeper."""
