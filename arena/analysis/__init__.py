"""Measures of the quality of play: moves that keep a position's value, exploitability in small games and bounds of it.

- `analysis`, `judging`, `lines`, `report`: what agents' moves are worth, over positions that are held fixed
- `tree`: a game written out once into arrays; `walk` is the compiled template that does it
- `response`: values of strategies, exact best responses, NashConv and exploitability
- `strategy_pools`: pools of strategies mixed by a meta-strategy
- `table`: a strategy as a table on disk, and its rows looked up by what a seat knows
- `solution`: checkpoints of solved games, without a network
- `local_response`: what a local best response wins in limit hold'em; `holdem_odds` has the chances of hands
- `asking`: the strategy that an agent plays, by asking it everywhere
- `solver`: solvers by name
"""
