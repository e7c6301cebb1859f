"""The rules of a game, called from Python one by one: a template of kernels, which are kept in the cache.

The functions of a game are cached as parts of kernels alone: called from Python, each process would compile them anew.
"""

from types import SimpleNamespace

from games.engine.compiler import instantiate
from games.engine.game import Game
from games.engine.jit import njit
from games.engine.moves import drawn_outcome
from games.engine.rules import apply, chance_outcomes, information_state, legal_actions, observe, returns


@njit(cache=True)
def play(state, action):
    apply(state, action)


@njit(cache=True)
def allow(state, mask):
    legal_actions(state, mask)


@njit(cache=True)
def weigh(state, chances):
    chance_outcomes(state, chances)


@njit(cache=True)
def draw_one(state, chances):
    return drawn_outcome(state, chances)


@njit(cache=True)
def pay(state, out):
    returns(state, out)


@njit(cache=True)
def know(state, seat, out):
    information_state(state, seat, out)


@njit(cache=True)
def show(state, seat, out):
    observe(state, seat, out)


def rules_of(game: Game) -> SimpleNamespace:
    """The rules of a game by their names; they take records of shape ()."""
    kernels = instantiate("tests.rules_by_hand", game)
    return SimpleNamespace(
        apply=kernels.play,
        legal_actions=kernels.allow,
        chance_outcomes=kernels.weigh,
        drawn_outcome=kernels.draw_one,
        returns=kernels.pay,
        information_state=kernels.know,
        observe=kernels.show,
    )
