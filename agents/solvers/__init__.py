"""Solvers of small games by their whole tree (CFR and variants, PSRO), and the agent that plays a solution."""
