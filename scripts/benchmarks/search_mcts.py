"""Monte Carlo tree search: simulations a second, beside OpenSpiel's bot in C++, whose playouts are random.

Ours are too, but in go, which has playouts of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.search.mcts import MCTSPolicy
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from benchmarks import elsewhere
from benchmarks.measure import Row, Work, rate
from games.engine.options import Option
from games.engine.registry import make_game


@dataclass(frozen=True)
class Searched:
    """A game by its name here and in OpenSpiel, and the simulations of a search."""

    name: str
    peer: str
    simulations: int = 1000
    options: dict[str, Option] = field(default_factory=dict)


GAMES = (
    Searched("tic_tac_toe", "tic_tac_toe"),
    Searched("connect_four", "connect_four"),
    Searched("othello", "othello"),
    Searched("go", "go(board_size=9)", options={"size": 9}),
    Searched("hex", "hex(board_size=11)", options={"size": 11, "swap": False}),
    Searched("breakthrough", "breakthrough"),
)


def rows() -> Iterator[Row]:
    """Measure searches of the first position, each with a new tree, on one thread."""
    for game in GAMES:
        arguments = ("OpenSpiel MCTSBot (C++)", "pyspiel", "search_open_spiel.py", game.peer, str(game.simulations))
        with elsewhere.process(*arguments) as peer:
            work = f"mcts:{game.simulations} on {make_game(game.name, **game.options).label}"
            yield rate("mcts", work, "simulations/s", ours(game), peer)


def ours(game: Searched) -> Work:
    """Search once."""
    played = make_game(game.name, **game.options)
    env = GameVectorEnv(played, 1)
    obs, _ = env.reset(seed=0)
    policy = MCTSPolicy(played, game.simulations, seed=0)
    batch = Batch(obs=Batch(obs, state=env.positions()))
    return lambda: int(policy.forward(batch).visits.sum())
