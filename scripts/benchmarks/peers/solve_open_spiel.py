"""OpenSpiel's solvers, in a process of their own: python solve_open_spiel.py WORK GAME; each input line is a round.

`cfr`, `cfr+` and `external-sampling` run iterations of its C++ solvers, `exploitability` computes that of a tabular
policy in C++. Prints the iterations, or computations, of a round.
"""

import sys

import pyspiel

SOLVERS = {
    "cfr": lambda game: pyspiel.CFRSolver(game).evaluate_and_update_policy,
    "cfr+": lambda game: pyspiel.CFRPlusSolver(game).evaluate_and_update_policy,
    "external-sampling": lambda game: pyspiel.ExternalSamplingMCCFRSolver(game, 0).run_iteration,
    "outcome-sampling": lambda game: pyspiel.OutcomeSamplingMCCFRSolver(game, 0.6, 0).run_iteration,
}
ROUND = {"kuhn_poker": 1000, "leduc_poker": 20}


def main(work, name):
    game = pyspiel.load_game(name)
    if work == "exploitability":
        solver = pyspiel.CFRSolver(game)
        solver.evaluate_and_update_policy()
        policy, count = solver.tabular_average_policy(), 1
        step = lambda: pyspiel.exploitability(game, policy)  # noqa: E731
    else:
        step, count = SOLVERS[work](game), ROUND[name] * (50 if work.endswith("sampling") else 1)
    for _ in sys.stdin:
        for _ in range(count):
            step()
        print(count, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
