"""Tree search guided by a network: PUCT and Gumbel, for play and for self-play."""
