"""A working directory with something in it: a store with matches and ratings, and runs."""

import json
import time
from pathlib import Path

from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent, make_game
from arena.store import Store
from arena.training.live_files import FIGURES, LIVE, STATUS, replace_json, write_game


def fill_store(path: Path, games: int = 12) -> None:
    """Matches of tic-tac-toe between `first` and `second` (both play at random)."""
    game = make_game("tic_tac_toe")
    players = [(name, make_agent("random", game)) for name in ("first", "second")]
    records = play_matches(game, players, [Pairing((i % 2, 1 - i % 2)) for i in range(games)], seed=1)
    with Store(path) as store:
        store.add_run("tournament", "one", game.label, {}, ["first", "second"], list(enumerate(records)))


def make_run(folder: Path, state: str = "running", step: int = 40_000, start_time: float | None = None) -> Path:
    """The folder of a training of tic-tac-toe as it looks at some moment, with figures and its latest game."""
    (folder / LIVE).mkdir(parents=True)
    told = {"game": "tic_tac_toe", "options": {"m": 3, "n": 3, "k": 3}, "algorithm": "ppo", "league": {}}
    (folder / "run.json").write_text(json.dumps(told | {"run": {"steps": 100_000, "snapshots": 10}}))
    now = time.time()
    status = {
        "state": state,
        "step": step,
        "total_steps": 100_000,
        "snapshots": 4,
        "rate": 2000.0 if state == "running" else 0.0,
        "time": now,
        "start_time": now - 60 if start_time is None else start_time,
        "pid": 1,
        "evaluation": {"random": 0.9, "one-ply": 0.55},
        "pool_score": 0.6,
    }
    replace_json(folder / LIVE / STATUS, status)
    lines = [{"step": 0, "start_time": now - 60}]
    for at in range(1000, step + 1, 1000):
        figures = {"score/random": 0.5 + 0.4 * at / step, "score/one-ply": 0.3 + 0.25 * at / step, "score/pool": 0.55}
        lines.append({"step": at, "figures": figures | {"update/loss": 1 - at / step, "train/reward": at / step}})
    lines.append({"step": step, "message": "snapshot 4: random 0.9, one-ply 0.55"})
    (folder / LIVE / FIGURES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    game = make_game("tic_tac_toe")
    agents = [(name, make_agent("random", game)) for name in ("main", "main-0003")]
    write_game(folder, play_matches(game, agents, [Pairing((0, 1))], seed=3)[0])
    return folder
