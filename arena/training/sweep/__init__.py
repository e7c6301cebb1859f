"""Sweeps: many short trainings in search of better hyper-parameters."""
