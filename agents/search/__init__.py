"""Agents that look ahead in the game's own rules."""
