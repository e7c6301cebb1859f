"""Equilibrium play: strategies from a table, made by `arena solve` or on the spot."""
