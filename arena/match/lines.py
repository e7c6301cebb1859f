"""Positions as lines of play: sampled from games of mixed strength, and replayed in batches."""

from collections.abc import Iterator, Sequence

import numpy as np

from arena.base.seeding import make_rng
from arena.env.make import vector_games
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent
from games.engine.actions import numbered
from games.engine.game import Game, position_bytes

Line = tuple[int, ...]
"""Actions from the start of a game."""

PLAYERS = ("random", "one-ply", "mcts:50", "mcts:300")
"""Agents of the games that positions are drawn from; each seat of each game draws one at random."""
GAMES = 64
"""Games played in one batch."""
ROUNDS_IN_VAIN = 10
"""Batches in a row without a new position after which the search stops."""
FROM_A_GAME = 4
"""Positions taken from one game, at most."""


class PlayedLines:
    """Positions after `lines` of play, one row each.

    The game has perfect information and no chance.
    """

    def __init__(self, game: Game, lines: Sequence[Line]):
        self.lengths = np.array([len(line) for line in lines], np.int64)
        self.history = np.full((len(lines), max(1, self.lengths.max(initial=0))), -1, np.int32)
        """The lines [n, T], -1 after their ends."""
        self.returns = np.zeros((len(lines), game.num_players))
        """Return of each seat so far [n, P]."""
        self.env = vector_games(game, len(lines))
        self.env.reset(seed=0)
        for row, line in enumerate(lines):
            self.history[row, : len(line)] = line
        for ply in range(self.history.shape[1]):
            rows = np.flatnonzero(self.lengths > ply)
            _, rewards, *_ = self.env.step(self.history[rows, ply].astype(np.int64), rows)
            self.returns[rows] += rewards


def drawn_lines(game: Game, seed: int) -> Iterator[Line]:
    """Yield lines to distinct positions with more than one legal move, until no new ones turn up.

    Each seat is played by a random one of `PLAYERS`. Each game contributes up to `FROM_A_GAME` positions, at random
    plies. The seed fixes them.
    """
    rng = make_rng(seed)
    players = [(spec, make_agent(spec, game)) for spec in PLAYERS]
    known: set[bytes] = set()
    in_vain = 0
    while in_vain < ROUNDS_IN_VAIN:
        before = len(known)
        seatings = rng.integers(len(players), size=(GAMES, game.num_players)).tolist()
        pairings = [Pairing(tuple(seating)) for seating in seatings]
        records = play_matches(game, players, pairings, int(rng.integers(2**31)))
        plies = [rng.permutation(len(record.actions))[:FROM_A_GAME].tolist() for record in records]
        lines = [
            tuple(map(numbered, record.actions[:ply]))
            for record, some in zip(records, plies, strict=True)
            for ply in some
        ]
        env = PlayedLines(game, lines).env
        for line, choices, position in zip(lines, env.mask.sum(axis=1), env.positions(), strict=True):
            if choices > 1 and (key := position_bytes(position)) not in known:
                known.add(key)
                yield line
        in_vain = in_vain + 1 if len(known) == before else 0
