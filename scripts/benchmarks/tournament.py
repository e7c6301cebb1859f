"""Tournaments: batched games against PettingZoo's loop, two workers against one, Ray's overhead."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from statistics import median
from typing import Any

import numpy as np

from arena.data.batch import Batch
from arena.policy.registry import make_agent, make_game
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import Tournament, run_tournament
from benchmarks.measure import Peer, Row, Work, missing, rate

GAME = "connect_four"
CHEAP = {f"{spec} {number}": spec for spec in ("random", "one-ply") for number in range(3)}
"""Six agents that need no time to think."""
GAMES = 512
"""Games of each pair of cheap agents in a round."""
SEARCHING = {"deep": "alphabeta:9", "deeper": "alphabeta:10"}
TINY = {"random": "random", "deep": "alphabeta:5"}
"""Agents whose games take milliseconds, so that overhead shows."""
ROUNDS = 3


def rows() -> Iterator[Row]:
    """Yield every comparison."""
    yield batched()
    yield two_workers()
    yield ray_overhead()


def batched() -> Row:
    """Measure moves a second of a round robin of six cheap agents, one core: openings, games, records and ratings."""
    game, config = make_game(GAME), TournamentConfig(games=GAMES, openings="random:0")

    def play() -> int:
        return sum(len(record.actions) for record in run_tournament(game, CHEAP, config).records)

    absent = missing("PettingZoo's loop", "pygame")
    peer = absent or Peer("PettingZoo's loop, the same agents", pettingzoo_loop())
    return rate("tournament", "round robin of six cheap agents, Connect Four", "moves/s", play, peer)


def pettingzoo_loop() -> Work:
    """Play everybody against everybody from either side, in the usual loop around PettingZoo's own Connect Four."""
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
                    observation, _, terminated, truncated, _ = env.last()
                    over = terminated or truncated
                    env.step(None if over else seated[name](observation, env.agents.index(name)))
                    moves += not over
        return moves

    return play


def chooser(spec: str) -> Callable[[Mapping[str, Any], int], int]:
    """Return an agent as a function of PettingZoo's observation and the seat to move."""
    game, rng = make_game(GAME), np.random.default_rng(0)
    if spec == "random":
        return lambda observation, seat: int(rng.choice(np.flatnonzero(observation["action_mask"])))
    policy = make_agent(spec, game)

    def choose(observation: Mapping[str, Any], seat: int) -> int:
        state = game.initial.reshape(1).copy()
        mover, others = observation["observation"][..., 0], observation["observation"][..., 1]
        state["board"] = mover * (seat + 1) + others * (2 - seat) - 1
        state["height"] = (mover + others).sum(axis=0)
        state["current_player"] = seat
        return int(policy.forward(Batch(obs=Batch(state=state))).act[0])

    return choose


def two_workers() -> Row:
    """Measure games a second of searching agents: two local processes beside one, by the wall clock."""
    one, two = (median(games_per_second(SEARCHING, workers, games=40) for _ in range(ROUNDS)) for workers in (1, 2))
    return Row("tournament", "alphabeta:9 - alphabeta:10, two workers", two, one, "one worker", two / one, "games/s")


def ray_overhead() -> Row:
    """Measure the seconds that Ray adds to a tiny game, on a one-core cluster on this machine and in this process."""
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
    """Return games a second of a tournament with running workers; the first half, in which they start, is excluded."""
    progress: list[tuple[float, int]] = []

    def note(records: Any, total: int) -> None:
        progress.append((time.perf_counter(), len(records)))

    config = TournamentConfig(games=2 * games)
    with closing(Tournament(make_game(GAME), players, config, workers)) as tournament:
        tournament.run(note)
    half = len(progress) // 2
    return sum(count for _, count in progress[half:]) / (progress[-1][0] - progress[half - 1][0])
