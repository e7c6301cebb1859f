"""What `scripts/league_checks.py` checks."""
