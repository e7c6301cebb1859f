"""Learning algorithms, one file each, beside its paper."""
