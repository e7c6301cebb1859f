"""Matches under rules: one at a time for people to watch, many at a time for tournaments and evaluation."""
