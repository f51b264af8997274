"""What can be trained: the contract, the registry of names, one file a kind."""
