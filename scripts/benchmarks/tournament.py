"""Tournaments: batched games against PettingZoo's loop, two workers against one, Ray's overhead."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from statistics import median
from typing import Any

import numpy as np

from arena.data.batch import Batch
from arena.registry import make_agent, make_game
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import Tournament, run_tournament
from benchmarks.measure import Peer, Row, Work, missing, rate

GAME = "connect_four"
CHEAP = {f"{spec} {number}": spec for spec in ("random", "one-ply") for number in range(3)}
"""Six agents that need no time to think."""
GAMES = 512
"""Of each pair of cheap agents in a round."""
SEARCHING = {"deep": "alphabeta:9", "deeper": "alphabeta:10"}
TINY = {"random": "random", "deep": "alphabeta:5"}
"""Their games take milliseconds, so that what is around them shows."""
ROUNDS = 3


def rows() -> Iterator[Row]:
    """Every comparison."""
    yield batched()
    yield two_workers()
    yield ray_overhead()


def batched() -> Row:
    """Moves a second of a round robin of six cheap agents, on one core: openings, games, records and ratings."""
    game, config = make_game(GAME), TournamentConfig(games=GAMES, openings="random:0")

    def play() -> int:
        return sum(len(record.actions) for record in run_tournament(game, CHEAP, config).records)

    absent = missing("PettingZoo's loop", "pygame")
    peer = absent or Peer("PettingZoo's loop, the same agents", pettingzoo_loop())
    return rate("tournament", "round robin of six cheap agents, Connect Four", "moves/s", play, peer)


def pettingzoo_loop() -> Work:
    """Everybody against everybody from either side, in the usual loop around PettingZoo's own Connect Four."""
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    choosers = [chooser(spec) for spec in CHEAP.values()]

    def play() -> int:
        moves = 0
        for one in choosers:
            for other in choosers:
                if one is other:
                    continue
                env.reset()
                seated = dict(zip(env.agents, (one, other), strict=True))
                for name in env.agent_iter():
                    seen, _, terminated, truncated, _ = env.last()
                    over = terminated or truncated
                    env.step(None if over else seated[name](seen, env.agents.index(name)))
                    moves += not over
        return moves

    return play


def chooser(spec: str) -> Callable[[Mapping[str, Any], int], int]:
    """An agent as a function of PettingZoo's observation and the seat to move."""
    game, rng = make_game(GAME), np.random.default_rng(0)
    if spec == "random":
        return lambda seen, seat: int(rng.choice(np.flatnonzero(seen["action_mask"])))
    policy = make_agent(spec, game)

    def choose(seen: Mapping[str, Any], seat: int) -> int:
        state = game.initial.reshape(1).copy()
        own, others = seen["observation"][..., 0], seen["observation"][..., 1]
        state["board"] = own * (seat + 1) + others * (2 - seat) - 1
        state["height"] = (own + others).sum(axis=0)
        state["current_player"] = seat
        return int(policy.forward(Batch(obs=Batch(state=state))).act[0])

    return choose


def two_workers() -> Row:
    """Games a second of searching agents: two local processes against one, by the clock."""
    one, two = (median(games_per_second(SEARCHING, workers, games=40) for _ in range(ROUNDS)) for workers in (1, 2))
    return Row("tournament", "alphabeta:9 - alphabeta:10, two workers", two, one, "one worker", two / one, "games/s")


def ray_overhead() -> Row:
    """Seconds that Ray adds to a game: of tiny games, on one core of a cluster on this machine and in this process."""
    work = "what Ray adds to a game, of which a pair is a job"
    if absent := missing("Ray", "ray"):
        return Row("tournament", work, float("nan"), None, absent.name, None, "s")
    import ray

    os.environ.pop("RAY_ADDRESS", None)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    games_per_second(TINY, "ray", games=40)  # starts its process
    there, here = (
        median(1 / games_per_second(TINY, workers, games=200) for _ in range(ROUNDS)) for workers in ("ray", 1)
    )
    ray.shutdown()
    return Row("tournament", work, there - here, None, "no peer; 5 % of a second are 0.05", None, "s")


def games_per_second(players: Mapping[str, str], workers: int | str, games: int) -> float:
    """Of a tournament whose workers are there; the first half of its games, in which they start, does not count."""
    told: list[tuple[float, int]] = []

    def note(records: Any, total: int) -> None:
        told.append((time.perf_counter(), len(records)))

    config = TournamentConfig(games=2 * games)
    with closing(Tournament(make_game(GAME), players, config, workers)) as tournament:
        tournament.run(note)
    half = len(told) // 2
    return sum(count for _, count in told[half:]) / (told[-1][0] - told[half - 1][0])
