"""Leagues: self-play against a pool of one's own past."""
