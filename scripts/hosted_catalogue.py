"""Play every game of every host, and write which work as a table in docs/how-to/hosted-games.md.

    python scripts/hosted_catalogue.py            plays what scripts/hosted_catalogue.csv lacks, then writes the table
    python scripts/hosted_catalogue.py chess go   plays the games with one of these words in their names again

In each game `random` meets `mcts:100` (`ismcts:100` where something is hidden and can be drawn again, `random` where
positions cannot be copied) in 20 games, from every seat in turn. A search takes time with the square of a game's
length: where 20 games would take longer than `--seconds` of processor time, they are cut after as many actions as fit,
and the table says after how many. What has been played is kept in the CSV file at once, so that a run that ends early
goes on where it was.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from marked import with_part

SCRIPTS = Path(__file__).parent
PAGE, KEPT = SCRIPTS.parent / "docs" / "how-to" / "hosted-games.md", SCRIPTS / "hosted_catalogue.csv"
BEGIN, END = "<!-- written by scripts/hosted_catalogue.py -->", "<!-- end of the table -->"
COLUMNS = ("game", "seats", "actions", "against random", "score", "played")
GAMES = 20

PLAY = """
import sys, time
import numpy as np
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent, make_game
name, games, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])


def play(game, agent, seconds):
    "Play games, at least two; return the scores of the agent."
    scores, start = [], time.process_time()
    while len(scores) < 2 or (len(scores) < games and time.process_time() - start < seconds):
        seat = len(scores) % game.num_players
        players = [(agent, make_agent(agent, game))]
        players += [(f"random {number}", make_agent("random", game)) for number in range(1, game.num_players)]
        seats = tuple((number - seat) % game.num_players for number in range(game.num_players))
        (record,) = play_matches(game, players, [Pairing(seats, len(scores))], seed=len(scores))
        returns = np.array(record.verdict.returns)
        others = np.delete(returns, seat)
        scores.append(((returns[seat] > others) + 0.5 * (returns[seat] == others)).mean() if len(others) else np.nan)
    return scores


def time_of_search(game):
    "Return the length of random games and the seconds that `games` games of a search will take."
    rng, steps, start = np.random.default_rng(0), 0, time.process_time()
    for seed in range(5):
        position = game.playable(game.initial, seed)
        while not position.over:
            position.step(int(rng.choice(np.flatnonzero(position.mask))))
            steps += 1
    length, cost = steps / 5, (time.process_time() - start) / steps
    return length, games * cost * 100 * length / 2 * min(length, 1000) / 2  # moves of the search, steps of a playout


def searcher(game):
    "Return the search that plays a game; random where there is none."
    for agent in ("mcts:100", "ismcts:100"):
        try:
            make_agent(agent, game)
            return agent
        except UsageError:
            pass
    return "random"


try:
    game = make_game(name)
    agent, cut = searcher(game), ""
    if agent != "random":
        length, time_needed = time_of_search(game)
        if time_needed > seconds:
            most = max(10, int(length * (seconds / time_needed) ** 0.5))
            bracket, end = ("(" if "(" not in name else ",", ")") if name.startswith("openspiel:") else (",", "")
            game = make_game(f"{name.removesuffix(')')}{bracket}max_length={most}{end}")
            cut = f", cut after {most} actions"
    scores = play(game, agent, 3 * seconds)
    score = "" if np.isnan(scores).any() else f"{100 * np.mean(scores):.0f} %"
    actions = "real" if game.action_box is not None else f"{game.num_actions:,}"
    print(f"played|{game.num_players}|{actions}|{agent}|{score}|{len(scores)} games{cut}")
except UsageError as error:
    print(f"played||||| {' '.join(str(error).removeprefix(name).lstrip(': ').split()).replace('|', ' ')[:110]}")
"""


def row(name: str, seconds: float) -> list[str]:
    """Return the row of a game, played in a process of its own."""
    command = [sys.executable, "-c", PLAY, name, str(GAMES), str(seconds)]
    limit = 20 * seconds + 60
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return [name, "", "", "", "", f"takes more than {limit:.0f} s"]
    lines = [line for line in done.stdout.splitlines() if line.startswith("played|")]
    if not lines:
        return [name, "", "", "", "", f"its process ended with status {done.returncode}"]
    return [name, *(part.strip() for part in lines[-1].split("|")[1:])]


def kept() -> dict[str, list[str]]:
    """Return the rows played so far, by game."""
    if not KEPT.exists():
        return {}
    with KEPT.open(newline="", encoding="utf-8") as file:
        return {one[0]: one for one in list(csv.reader(file))[1:]}


def keep(rows: dict[str, list[str]]) -> None:
    """Write the rows."""
    with KEPT.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *(rows[name] for name in sorted(rows))])


def write_table(rows: dict[str, list[str]]) -> None:
    """Write the rows into the page."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    lines += [f"| `{name}` | {' | '.join(rest)} |" for name, *rest in (rows[name] for name in sorted(rows))]
    PAGE.write_text(with_part(PAGE, BEGIN, END, "\n".join(lines)), encoding="utf-8")


def main() -> None:
    """Play the games and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of names of games to play again")
    parser.add_argument("--seconds", type=float, default=20.0, help="processor time for the games of one game")
    options = parser.parse_args()
    from games.engine.registry import HOSTS

    names = [f"{host}:{one.name}" for host in ("pettingzoo", "openspiel") for one in HOSTS.load(host).names()]
    rows = {name: one for name, one in kept().items() if name in names}
    wanted = [name for name in names if name not in rows or any(word in name for word in options.words)]
    for number, name in enumerate(wanted, start=1):
        rows[name] = row(name, options.seconds)
        keep(rows)
        print(f"{number} of {len(wanted)} {' | '.join(rows[name])}", flush=True)
    write_table(rows)


if __name__ == "__main__":
    main()
