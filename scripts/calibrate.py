"""Calibrate the levels of a game: python scripts/calibrate.py GAME AGENT [--above AGENT ...] [--games 60] ...

Level 1 is random and level 10 is AGENT (or the last of --above); those between are AGENT with a share of random moves
(and the other ones of --above). A ladder of them is measured, each against its neighbours, and the ten are taken whose
ratings are closest to even steps. All games are kept in a store, so that a second call goes on; the levels are written
into the card of the game.
"""

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from agents import __file__ as agents_file
from arena.base.saving import replace_text
from arena.policy.registry import make_game
from arena.policy.zoo.card import CARD, ELO, NUM_LEVELS, RETURN, Level, card_text, read_card
from arena.policy.zoo.entries import fits
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.measuring import measure
from arena.tournament.tables import table_from
from arena.tournament.tournament import run_tournament
from games.engine.game import Game

ZOO = Path(agents_file).parent / "zoo"
SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.22, 0.16, 0.11, 0.07, 0.04, 0.02)
"""Shares of random moves on the ladder, besides 1 and 0."""
REACH = 2
"""Places on the ladder over which pairs meet."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agent", help="plays all levels; it should answer at once")
    parser.add_argument("--above", nargs="*", default=[], metavar="AGENT", help="stronger agents, from the weakest")
    parser.add_argument("--games", type=int, default=60, help="games of each pair of neighbours")
    parser.add_argument("--openings", default="random:4", help="how games begin")
    parser.add_argument("--store", type=Path, default=Path("runs/calibration.db"))
    options = parser.parse_args()
    game = make_game(options.game)
    ladder = ["random", *(f"noisy:{share}:{options.agent}" for share in SHARES), options.agent, *options.above]
    options.store.parent.mkdir(parents=True, exist_ok=True)
    with closing(Store(str(options.store))) as store:
        config = TournamentConfig(games=options.games, openings=options.openings)
        levels = by_elo(game, ladder, config, store) if by_wins(game) else by_return(game, ladder, config, store)
    chosen = even_steps(levels)
    folder = ZOO / game.name
    card = read_card(folder)
    levels_on = "" if fits(card, game) else game.spec
    scale = ELO if by_wins(game) else RETURN
    card = replace(card, levels=tuple(chosen), levels_on=levels_on, scale=scale)
    replace_text(folder / CARD, card_text(card))
    for number, level in enumerate(chosen, start=1):
        print(f"level {number:2}  {level.rating:8.1f} ± {level.error:5.1f}  {level.agent}")


def by_wins(game: Game) -> bool:
    """Return whether the strength of players of a game is how often they win, and not what they earn."""
    return game.competitive and game.stakes is None


def by_elo(game: Game, ladder: Sequence[str], config: TournamentConfig, store: Store) -> list[Level]:
    """Return the ratings of a ladder from games between neighbours; random is 0."""
    records = []
    for one, other in combinations(range(len(ladder)), 2):
        if other - one <= REACH:
            players = {ladder[place]: ladder[place] for place in (one, other)}
            records += run_tournament(game, players, config, store=store).records
    table = table_from(game, ladder, records, "random")
    rated = {row.name: Level(row.name, round(row.elo, 1), round(row.error, 1)) for row in table.rows}
    return [rated[name] for name in ladder]


def by_return(game: Game, ladder: Sequence[str], config: TournamentConfig, store: Store) -> list[Level]:
    """Return what each agent of a ladder earns: from a random player, in cooperative games in a team of its own."""
    levels = [Level("random", 0.0, 0.0)] if game.competitive else []
    for agent in ladder[len(levels) :]:
        figure = measure(game, agent, "random", config.num_games, store=store)
        levels.append(Level(agent, figure.score, round((figure.high - figure.low) / 2, 4)))
    return levels


def even_steps(ladder: Sequence[Level]) -> list[Level]:
    """Return the levels of a ladder whose ratings are closest to even steps, in its order, first and last included."""
    ratings = np.maximum.accumulate([level.rating for level in ladder])
    wanted = np.linspace(ratings[0], ratings[-1], NUM_LEVELS)
    chosen = [0]
    for step in range(1, NUM_LEVELS - 1):
        places = range(chosen[-1] + 1, len(ladder) - (NUM_LEVELS - 1 - step))
        chosen.append(min(places, key=lambda place: abs(ratings[place] - wanted[step])))
    return [ladder[place] for place in [*chosen, len(ladder) - 1]]


if __name__ == "__main__":
    main()
