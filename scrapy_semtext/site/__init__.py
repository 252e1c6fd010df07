"""What the pages of one site share: learnt as they come, as evidence for labels, or from a finished set of pages."""
