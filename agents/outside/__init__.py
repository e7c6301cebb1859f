"""Agents that are external programs, in any language."""
