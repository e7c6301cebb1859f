"""Leagues: self-play against a pool of past snapshots."""
