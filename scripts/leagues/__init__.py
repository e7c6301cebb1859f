"""Parts of `scripts/league_checks.py`."""
