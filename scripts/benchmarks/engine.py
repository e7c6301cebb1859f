"""The engine beside the fastest others, one core: playouts inside it, and batches with observations and masks."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.env.native import GameVectorEnv
from benchmarks.elsewhere import process
from benchmarks.games import BOARDS
from benchmarks.measure import Peer, Row, Work, rate
from games.engine.compiler import kernels
from games.engine.registry import make_game


@dataclass(frozen=True)
class Contest:
    """One game, as each of us calls it."""

    ours: str
    open_spiel: str
    pgx: str | None = None


CONTESTS = (
    Contest("tic_tac_toe", "tic_tac_toe", "tic_tac_toe"),
    Contest("connect_four", "connect_four", "connect_four"),
    Contest("othello", "othello", "othello"),
    Contest("go:size=9", "go(board_size=9)", "go_9x9"),
    Contest("go:size=19", "go(board_size=19)", "go_19x19"),
    Contest("hex:swap=false", "hex(board_size=11)", "hex"),
    Contest("breakthrough", "breakthrough"),
    Contest("chess", "chess", "chess"),
    Contest("backgammon", "backgammon", "backgammon"),
    Contest("kuhn_poker", "kuhn_poker", "kuhn_poker"),
    Contest("leduc_poker", "leduc_poker"),
    Contest("leduc_holdem", "leduc_poker", "leduc_holdem"),
)


def rows() -> Iterator[Row]:
    """Moves a second of random legal play."""
    for contest in CONTESTS:
        with process(
            "OpenSpiel, C++ rollouts", "pyspiel", "play_open_spiel.py", "rollouts", contest.open_spiel
        ) as peer:
            yield rate("engine", f"{contest.ours}: playouts", "moves/s", playouts(contest.ours), peer, rounds=3)
        work = f"{contest.ours}: {BOARDS:,} boards, observations, masks, resets"
        with open_spiel("loop", contest) as peer:
            yield rate("engine", work, "moves/s", batch(contest.ours), peer, rounds=3)
        if contest.pgx is not None:
            with process("pgx on the CPU", "pgx", "play_pgx.py", contest.pgx, str(BOARDS)) as peer:
                yield rate("engine", work, "moves/s", batch(contest.ours), peer, rounds=3)
    yield from threads()


def open_spiel(mode: str, contest: Contest) -> AbstractContextManager[Peer]:
    """OpenSpiel at the same game, in C++ ("rollouts") or by Python ("loop")."""
    title = "OpenSpiel, C++ rollouts" if mode == "rollouts" else "OpenSpiel from Python"
    return process(title, "pyspiel", "play_open_spiel.py", mode, contest.open_spiel)


def threads() -> Iterator[Row]:
    """Two threads beside one, in the same batches."""
    for name in ("connect_four", "othello", "go:size=9"):
        work = f"{name}: {BOARDS:,} boards, two threads"
        yield rate("engine", work, "moves/s", batch(name, 2), Peer("one thread", batch(name)), rounds=3)


def playouts(spec: str) -> Work:
    """Whole random games inside compiled code."""
    game = make_game(spec)
    compiled, initial = kernels(game), game.initial.reshape(1)
    states, mask = np.zeros(50, game.state_dtype), np.zeros(game.num_actions, np.bool_)
    chances, seed = np.zeros(game.num_outcomes), 0

    def play() -> int:
        nonlocal seed
        seed += len(states)
        return int(compiled.playouts(states, initial, mask, chances, seed))

    return play


def batch(spec: str, threads: int = 1) -> Work:
    """Every board makes one random legal move; games that end begin anew."""
    env = GameVectorEnv(make_game(spec), BOARDS, autoreset=True, threads=threads)
    env.seed(0)
    env.reset()
    actions = np.zeros(BOARDS, np.int64)
    seed = 0

    def play() -> int:
        nonlocal seed
        for _ in range(20):
            seed += 1
            choose_each(env.mask, seed, actions)
            env.step(actions)
        return 20 * BOARDS

    return play


@njit(cache=True)
def choose_each(mask: NDArray[np.bool_], seed: int, actions: NDArray[np.int64]) -> None:
    """Write a random legal action of each row of `mask` [B, A] into `actions` [B]."""
    np.random.seed(seed)
    for row in range(mask.shape[0]):
        choice = np.random.randint(mask[row].sum())
        for action in range(mask.shape[1]):
            choice -= mask[row, action]
            if choice < 0:
                actions[row] = action
                break
