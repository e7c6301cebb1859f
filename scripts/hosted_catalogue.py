"""Play every game of a host, and write which work as a table in docs/hosted-games.md.

    python scripts/hosted_catalogue.py            plays 20 random games of each game of OpenSpiel and PettingZoo

A game that takes longer than `--seconds` is left where it is: it works, and the table says how many games it got to.
"""

import argparse
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "hosted-games.md"
BEGIN, END = "<!-- written by scripts/hosted_catalogue.py -->", "<!-- end of the table -->"
GAMES = 20

PLAY = """
import sys, time
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent, make_game
spec, games, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
start = time.monotonic()
try:
    game = make_game(spec)
    players = [(f"player {seat}", make_agent("random", game)) for seat in range(game.num_players)]
    played = 0
    while played < games and (played == 0 or time.monotonic() - start < seconds):
        play_matches(game, players, [Pairing(tuple(range(game.num_players)), played)])
        played += 1
    try:
        make_agent("mcts:10", game)
        search = "yes"
    except UsageError:
        search = "no"
    print(f"| {game.num_players} | {game.num_actions:,} | {search} | {played} games |")
except UsageError as error:
    print(f"| | | | {' '.join(str(error).removeprefix(spec).lstrip(': ').split())[:110]} |")
"""


def row(spec: str, seconds: float) -> str:
    """Return the row of a game, played in a process of its own."""
    command = [sys.executable, "-c", PLAY, spec, str(GAMES), str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=False)
    except subprocess.TimeoutExpired:
        return f"| `{spec}` | | | | one game takes more than {seconds + 60:.0f} s |"
    lines = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    return (
        f"| `{spec}` {lines[-1]}" if lines else f"| `{spec}` | | | | its process ended with status {done.returncode} |"
    )


def main() -> None:
    """Play all games and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="time for each game")
    seconds = parser.parse_args().seconds
    from games.engine.registry import HOSTS

    names = [f"{host}:{one.name}" for host in ("pettingzoo", "openspiel") for one in HOSTS.load(host).names()]
    rows = []
    for number, name in enumerate(names, start=1):
        rows.append(row(name, seconds))
        print(f"{number} of {len(names)} {rows[-1]}", flush=True)
    table = "\n".join(["| game | seats | actions | `mcts` | played |", "|---|---|---|---|---|", *rows])
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
