"""View models: pure functions from runs, leagues and matches to rows, curves and forms."""
