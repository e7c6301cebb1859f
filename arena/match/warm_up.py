"""A first move that does not count, before any clock runs."""

import gc
import threading

import numpy as np

from arena.env.make import vector_games
from arena.match.ask import ask, begin, view
from arena.match.match import Match
from arena.policy.clock import ClockReading
from arena.policy.protocol import Policy
from games.engine.game import Game

FIRST_CLOCK = ClockReading(seconds_left=1.0, game_seconds_left=1.0)
"""Clock of the first move: searches under a clock need other code and memory than those of a given effort."""


def warm_up(game: Game, policy: Policy, clocked: bool) -> None:
    """Make one move to load and compile a policy's code, under a clock if it is to play by one.

    What is loaded by then is left out of later garbage collections, each of which would stop the policy for 0.15 s.
    """
    done = threading.Event()

    def hurry() -> None:
        while not done.wait(0.05):
            policy.hurry()

    threading.Thread(target=hurry, daemon=True).start()
    try:
        _first_move(game, policy, clocked)
    finally:
        done.set()
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def warm_up_server(game: Game, policy: Policy) -> None:
    """Warm up a policy that plays by the clock of another program, and what carries moves between the two."""
    match = Match(game, [("", None)] * game.num_players)
    state, action = match.state, int(match.legal.argmax())
    game.picture(state)
    match.play(game.parse_action(state, game.action_text(state, action)))
    warm_up(game, policy, clocked=True)


def _first_move(game: Game, policy: Policy, clocked: bool) -> None:
    env = vector_games(game, 1)
    env.reset(seed=0)
    begin(policy, 0)
    nothing = np.zeros((1, 0), game.action_dtype), np.zeros(1, np.int64)
    obs = view(env, np.zeros(1, np.int64), policy, *nothing)
    if clocked:
        obs.update(FIRST_CLOCK.to_arrays())
    ask(game, policy, obs)
