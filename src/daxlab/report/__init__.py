"""Pictures of what was found. No number is computed here."""
