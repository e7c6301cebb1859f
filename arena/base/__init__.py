"""Base of arena, imported by all other packages: errors, checks of input, files, text and random seeds."""
