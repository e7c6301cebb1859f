"""Tournaments: who meets whom, how strong they are, and how that is shown."""
