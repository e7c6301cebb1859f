"""Agents that play exactly, in games small enough for it."""
