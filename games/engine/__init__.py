"""The game engine: what a game is, how it is found, and how it is compiled.

- `registry`: games by name, from this distribution and from anybody's entry point
- `game`: the frozen `Game` description with its traits
- `rules`: the functions that every game file provides
- `compiler`: turns a template of kernels into machine code for one game
- `kernels`: the batch kernels (reset, step, observe, playout)
- `boards`: what games of stones on a board share
- `picture`: what a position looks like, as text and as an image
- `pettingzoo`: a game as a PettingZoo AEC or Parallel environment
"""
