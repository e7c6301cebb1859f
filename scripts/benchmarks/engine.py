"""The engine beside the fastest others, one core: playouts inside it, and batches with observations and masks."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from arena.env.native import GameVectorEnv
from benchmarks.elsewhere import process
from benchmarks.measure import Peer, Row, Work, duration, one_core, rate
from benchmarks.native import BOARDS, STEPS, batch, steps
from games.engine.compiler import kernels
from games.engine.registry import make_game


@dataclass(frozen=True)
class Contest:
    """One game by its name in each library."""

    ours: str
    open_spiel: str
    pgx: str | None = None
    arrays: bool = False
    """Also compare with OpenSpiel where its observations and masks, lists of numbers, are converted to arrays."""


CONTESTS = (
    Contest("tic_tac_toe", "tic_tac_toe", "tic_tac_toe"),
    Contest("connect_four", "connect_four", "connect_four"),
    Contest("othello", "othello", "othello"),
    Contest("go:size=9", "go(board_size=9)", "go_9x9"),
    Contest("go:size=19", "go(board_size=19)", "go_19x19"),
    Contest("hex:swap=false", "hex(board_size=11)", "hex"),
    Contest("breakthrough", "breakthrough"),
    Contest("chess", "chess", "chess", arrays=True),
    Contest("backgammon", "backgammon", "backgammon"),
    Contest("kuhn_poker", "kuhn_poker", "kuhn_poker"),
    Contest("leduc_poker", "leduc_poker"),
    Contest("leduc_holdem", "leduc_poker", "leduc_holdem"),
)


def rows() -> Iterator[Row]:
    """Measure moves a second of random legal play."""
    with one_core():  # JAX would spread over all, and some of its games take twice as long then
        for contest in CONTESTS:
            yield from beside_peers(contest)


def beside_peers(contest: Contest) -> Iterator[Row]:
    """Compare one game: playouts, and batches."""
    with open_spiel("rollouts", contest) as peer:
        yield rate("engine", f"{contest.ours}: playouts", "moves/s", playouts(contest.ours), peer, rounds=3)
    work = f"{contest.ours}: {BOARDS:,} boards, observations, masks, resets"
    for mode in ("lists", "arrays") if contest.arrays else ("lists",):
        with open_spiel(mode, contest) as peer:
            yield rate("engine", work, "moves/s", batch(contest.ours), peer, rounds=3)
    if contest.pgx is not None:
        with process("pgx on the CPU", "pgx", "play_pgx.py", contest.pgx, str(BOARDS)) as peer:
            yield rate("engine", work, "moves/s", batch(contest.ours), peer, rounds=3)


def open_spiel(mode: str, contest: Contest) -> AbstractContextManager[Peer]:
    """Return OpenSpiel at the same game: its C++ ("rollouts"), or Python with observations as "lists" or "arrays"."""
    titles = {"rollouts": "C++ rollouts", "lists": "from Python", "arrays": "from Python, lists made arrays"}
    return process(f"OpenSpiel, {titles[mode]}", "pyspiel", "play_open_spiel.py", mode, contest.open_spiel)


def threads() -> Iterator[Row]:
    """Compare two threads with one, on the same batches."""
    for name in ("connect_four", "othello", "go:size=9", "hex", "backgammon", "chess"):
        for boards in (BOARDS, 4 * BOARDS):
            work = f"{name}: {STEPS:,} steps of {boards:,} boards, two threads"
            yield duration("threads", work, steps(name, 2, boards), Peer("one thread", steps(name, 1, boards)))


def playouts(spec: str) -> Work:
    """Play random games in compiled code, from the first decision (as OpenSpiel's rollouts do) to the end."""
    game = make_game(spec)
    env = GameVectorEnv(game, 1)
    env.reset(seed=0)
    compiled, first = kernels(game), env.states
    states, mask = np.zeros(500, game.state_dtype), np.zeros(game.num_actions, np.bool_)
    chances, seed = game.chance_scratch(), 0

    def play() -> int:
        nonlocal seed
        seed += len(states)
        return int(compiled.playouts(states, first, mask, chances, seed))

    return play
