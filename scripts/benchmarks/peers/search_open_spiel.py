"""OpenSpiel's Monte Carlo bot in C++, in a process of its own: python search_open_spiel.py GAME SIMULATIONS.

Each input line is one search from the first position, with one random rollout a simulation. Prints the simulations.
"""

import sys

import pyspiel


def main(name, simulations):
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, False, 1, False)
    for _ in sys.stdin:
        print(bot.mcts_search(game.new_initial_state()).explore_count, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
