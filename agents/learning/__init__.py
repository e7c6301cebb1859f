"""Shared parts of the learning algorithms: losses, distributions, targets, exploration, and their base classes."""
