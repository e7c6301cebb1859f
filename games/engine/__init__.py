"""The game engine: descriptions of games, the registry, and the compiler.

- `registry`: games by name, from this distribution and from anybody's entry point
- `game`: the frozen `Game` description with its traits
- `rules`: the contract of each function of a game
- `ruleset`: the functions of one game, part of its description
- `compiler`: turns a template of kernels into machine code for one game
- `kernels`: the batch kernels (reset, step, observe, playouts)
- `boards`: parts that games on a board share
- `picture`: pictures of positions, as text and as an image
- `pettingzoo`: a game as a PettingZoo AEC or Parallel environment
"""
