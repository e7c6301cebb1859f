"""OpenSpiel's random play, in a process of its own: python play_open_spiel.py MODE GAME; each input line is a round.

`rollouts` runs inside its C++ (the random rollouts of its Monte Carlo bot, one simulation of many rollouts). The other
modes are the usual Python loop, with the observation tensor and the legal mask of every decision, as `lists` as they
come, or converted to `arrays` for a network. Prints moves a round.
"""

import random
import sys

import numpy as np
import pyspiel


def after_chance(state, rng):
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, chances)[0])
    return state


def as_lists(state):
    state.observation_tensor()
    state.legal_actions_mask()


def as_arrays(state):
    np.asarray(state.observation_tensor(), np.float32)
    np.asarray(state.legal_actions_mask(), np.bool_)


LOOKS = {"rollouts": lambda state: None, "lists": as_lists, "arrays": as_arrays}


def one_game(game, rng, look):
    """Play a game in a Python loop; return the number of decisions."""
    state, moves = after_chance(game.new_initial_state(), rng), 0
    while not state.is_terminal():
        look(state)
        state.apply_action(rng.choice(state.legal_actions()))
        after_chance(state, rng)
        moves += 1
    return moves


def main(mode, name):
    game, rng = pyspiel.load_game(name), random.Random(0)
    length = sum(one_game(game, rng, LOOKS["rollouts"]) for _ in range(100)) / 100
    rollouts = max(1, int(100_000 / length))
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(rollouts, 1), 2.0, 1, 1000, False, 1, False)
    for _ in sys.stdin:
        if mode == "rollouts":
            bot.mcts_search(after_chance(game.new_initial_state(), rng))
            print(round(rollouts * length), flush=True)
        else:
            print(sum(one_game(game, rng, LOOKS[mode]) for _ in range(max(1, int(2000 / length)))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
