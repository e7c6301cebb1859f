"""Configs of the learning algorithms, their options. Imports no torch, so that command lines are read at once."""
