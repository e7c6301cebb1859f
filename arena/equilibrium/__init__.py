"""Equilibria of games that are small enough to be written out: solvers, exact best responses, exploitability.

- `tree`: a game written out once into arrays; `walk` is the compiled template that does it
- `response`: values of strategies, exact best responses, NashConv and exploitability
- `cfr`: counterfactual regret minimization, plain, CFR+ and discounted
- `external_sampling`, `outcome_sampling`: Monte Carlo CFR; `drawing` is what they draw with
- `solving`: a solver by name, and a solution that is worked on until it is good enough
- `table`: a strategy as a table on disk, and its rows looked up by what a seat knows
- `asking`: the strategy that an agent plays, by asking it everywhere
"""
