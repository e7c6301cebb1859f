"""Trainings in folders of their own: watched, measured, interrupted and resumed."""
