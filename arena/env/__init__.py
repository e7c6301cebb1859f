"""Environments: native batches of games, vector environments over workers, and adapters."""
