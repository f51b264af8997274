"""Questions to the ledger, one file each. No training here."""
