"""Arena: train agents by self-play, rate them in tournaments, watch them and play them in a terminal."""

__version__ = "0.1.0"
