"""Trainings in folders of their own: watched, measured, interrupted and resumed.

A training in an environment or on data needs what stands here; `league` adds self-play against others, `sweep` many
short trainings; `make` makes a training of any of these kinds by its options.
"""
