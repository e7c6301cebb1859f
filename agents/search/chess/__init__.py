"""A search for chess alone: its rules move by move, its evaluation, and what its tree may leave out.

`position` is the board and its moves made, `generate` lists moves, `exchange` counts captures on one square, `evaluate`
rates positions, `order` says what is tried first, `tree` searches, and `engine` is all of that as an agent.
"""
