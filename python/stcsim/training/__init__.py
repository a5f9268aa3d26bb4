"""Networks whose products prune as schemes say, trained with PyTorch."""
