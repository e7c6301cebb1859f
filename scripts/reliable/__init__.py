"""Checks of what must never fail: rules, kills, intervals of ratings."""
