"""What policies that ask for the moves are told of them, and giving a game up."""

import numpy as np
import pytest

import games
from arena.data.batch import Batch
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.protocol import RESIGN, Policy
from tests.match.players import Lowest

pytestmark = pytest.mark.full


class Listener(Lowest):
    """Plays the lowest legal action, gives up once it knows of `patience` moves, and notes what it was told."""

    needs_moves = True

    def __init__(self, patience: int = 1000):
        self.patience = patience
        self.told: list[tuple[int, ...]] = []

    def forward(self, batch, state=None):
        act = super().forward(batch).act
        if "moves" not in batch.obs:
            return Batch(act=act)
        self.told += [tuple(move for move in row if move != -1) for row in batch.obs.moves.tolist()]
        return Batch(act=np.where((batch.obs.moves >= 0).sum(axis=1) >= self.patience, RESIGN, act))


def in_lockstep(game, players, opening=()):
    short = Pairing((0, 1), opening=opening)
    return play_matches(game, players, [short, Pairing((0, 1), opening=(*opening, 1))])[0]


def one_by_one(game, players, opening=()):
    match = Match(game, players, opening=opening)
    while not match.over:
        match.advance()
    return match.record()


@pytest.mark.parametrize("play", [in_lockstep, one_by_one])
def test_all_moves_since_the_start_are_told_openings_too(play):
    listener = Listener()
    record = play(games.make("tic_tac_toe"), [("low", Lowest()), ("listener", listener)], opening=(8,))
    told = [moves for moves in listener.told if moves == record.actions[: len(moves)]]
    assert told == [record.actions[:turn] for turn in range(1, len(record.actions), 2)]


@pytest.mark.parametrize("play", [in_lockstep, one_by_one])
def test_a_policy_gives_up_by_an_action_that_says_so(play):
    record = play(games.make("connect_four"), [("listener", Listener(patience=4)), ("low", Lowest())])
    assert (record.verdict.reason, record.verdict.offender, record.verdict.detail) == (Reason.RESIGNED, 0, "")
    assert (record.verdict.returns, record.actions) == ((-1.0, 1.0), (0, 0, 0, 0))


@pytest.mark.parametrize("name", ["kuhn_poker", "rock_paper_scissors", "goofspiel"])
def test_nothing_is_told_where_moves_are_hidden(name):
    listener: Policy = Listener()
    record = one_by_one(games.make(name), [("listener", listener), ("low", Lowest())])
    assert (record.verdict.reason, listener.told) == (Reason.FINISHED, [])
