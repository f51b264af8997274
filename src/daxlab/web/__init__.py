"""The page: asks the paper's question of its reader, then of the networks, which compute in the browser."""
