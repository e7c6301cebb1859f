"""Trainings that live in folders: they are watched, measured, interrupted and resumed."""
