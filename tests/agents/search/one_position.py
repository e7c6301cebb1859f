"""The rules of a game, one function a call: a template for tests that walk a game in plain Python."""

from numba import njit

from agents.search.playouts import playout_move
from games.engine.moves import drawn_outcome, play_out, settle
from games.engine.rules import NUM_PLAYERS, apply, chance_outcomes, heuristic, legal_actions, reseed, returns


@njit(cache=True)
def legal(state, mask):
    mask[:] = False
    legal_actions(state[0], mask)


@njit(cache=True)
def play(state, action):
    apply(state[0], action)


@njit(cache=True)
def begin_stream(state, seed):
    reseed(state[0], seed)


@njit(cache=True)
def outcome(state, chances):
    return drawn_outcome(state[0], chances)


@njit(cache=True)
def finish(state, mask, chances, seed, payoff):
    settle(state[0], chances)
    play_out(state[0], mask, chances, seed)
    payoff[:NUM_PLAYERS] = 0
    returns(state[0], payoff)


@njit(cache=True)
def playout_choice(state, mask, bits):
    return playout_move(state[0], mask, bits)


@njit(cache=True)
def likely(state, chances):
    chances[:] = 0
    chance_outcomes(state[0], chances)


@njit(cache=True)
def earned(state, payoff):
    payoff[:] = 0
    returns(state[0], payoff)


@njit(cache=True)
def looks(state, seat):
    return heuristic(state[0], seat)
