"""Agents that search with the rules of the game."""
