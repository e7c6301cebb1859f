"""Agents that play exactly, in games small enough to be solved."""
