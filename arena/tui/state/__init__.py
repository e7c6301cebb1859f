"""State of screens: positions, series, clocks and words. Nothing here draws."""
