"""Agents that follow a fixed rule."""
