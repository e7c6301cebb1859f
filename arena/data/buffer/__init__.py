"""Replay buffers: rings of transitions."""
