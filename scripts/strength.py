"""Measure champions against other programs and baselines: python scripts/strength.py [GAME ...] [--table].

Each game has a list of measurements below. Games are kept in a store, so that a second call goes on where the first
one ended. Figures go into the cards of agents/zoo, and the table of all cards into docs/measured/strength.md. Programs
that are not installed are named, with the package that has them, and left out. With --table, only the page is written
anew.
"""

import argparse
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from agents import __file__ as agents_file
from arena.analysis.analysis import analyse, judge_positions
from arena.analysis.asking import ask_strategy
from arena.analysis.judging import Judge
from arena.analysis.local_response import local_best_response
from arena.analysis.response import exploitability
from arena.analysis.tree import build_tree
from arena.base.errors import UsageError
from arena.base.saving import replace_text
from arena.policy.registry import GAMES, make_agent, make_game
from arena.policy.zoo.card import (
    CARD,
    EXPLOITABILITY,
    KEPT,
    LOCAL,
    MATCH,
    RETURN,
    Figure,
    ZooCard,
    card_text,
    read_card,
)
from arena.store import Store
from arena.tournament.measuring import measure

ZOO = Path(agents_file).parent / "zoo"
PAGE = Path(__file__).parents[1] / "docs" / "measured" / "strength.md"
PROGRAMS = {"stockfish": "apt install stockfish", "gnugo": "apt install gnugo", "gnubg": "apt install gnubg"}
"""Programs that are measured against, and how they are installed."""
PATH = f"{os.environ['PATH']}:/usr/games"
"""Where programs are; Debian's games are not on root's path."""
TREE = 2_000_000
"""Largest number of positions of a game whose exploitability is computed."""


@dataclass(frozen=True)
class Measurement:
    """One thing to be measured of an agent."""

    agent: str
    against: str
    """Agent, or what else it is measured by."""
    games: int = 100
    """Number of games or positions."""
    openings: str = "random:4"
    measure: str = MATCH
    game: str = ""
    """Game, if it has other options than the card's."""
    clock: str = ""
    """Time control, if the agents have no limits of their own."""

    @property
    def program(self) -> str:
        """Name of the program that it needs; empty if none."""
        if self.against.startswith("gnubg"):
            return "gnubg"
        command = self.against.partition(":")[2].split(",")[0].split(" ")[0]
        return command if self.against.startswith(("uci:", "gtp:")) else ""


def kept(agent: str, positions: int) -> Measurement:
    """Return the measurement of how many moves keep the value of solved positions."""
    return Measurement(agent, "solved positions", positions, "", KEPT)


def locally_exploited(agent: str, games: int) -> Measurement:
    """Return the measurement of what a local best response wins."""
    return Measurement(agent, "a local best response", games, "", LOCAL)


def exploited(agent: str, game: str = "") -> Measurement:
    """Return the measurement of what a best response wins."""
    return Measurement(agent, "a best response", 0, "", EXPLOITABILITY, game)


OPENSPIEL = "cmd:python scripts/openspiel_bot.py 10000"
"""OpenSpiel's MCTS with 10,000 simulations a move; as a command of the repository's root, in its environment."""
STOCKFISH_2000 = "uci:stockfish,UCI_LimitStrength=true,UCI_Elo=2000"
PUBEVAL = "pubeval:runs/pubeval"
"""With its weights as published in that folder, which is not part of the repository."""
GNU_GO = "gtp:gnugo --mode gtp --level 10 --chinese-rules --capture-all-dead --play-out-aftermath"
"""With stones that are dead by agreement taken off first, since all that stand are counted."""


MEASUREMENTS: dict[str, Sequence[Measurement]] = {
    "backgammon": (
        Measurement("zoo:backgammon", "random", 400),
        Measurement("zoo:backgammon", "mcts:200", 20),
        Measurement("zoo:backgammon", "gnubg:plies=0", 200),
        Measurement("zoo:backgammon:1", "gnubg:plies=0", 400),
        Measurement("zoo:backgammon:1", "zoo:backgammon", 400),
        Measurement("zoo:backgammon", PUBEVAL, 20000, game="backgammon:scoring=full"),
    ),
    "breakthrough": (Measurement("mcts:1s", OPENSPIEL, 10),),
    "checkers": (
        Measurement("mcts:2000", "alphabeta:6", 20),
        Measurement("mcts:1s", OPENSPIEL, 20, game="checkers:draw_after=20"),
    ),
    "chess": (
        Measurement("alphabeta:6", "uci:stockfish,UCI_LimitStrength=true,UCI_Elo=1800,movetime=50", 10),
        Measurement("alphabeta:6", "alphabeta:4", 20),
        Measurement("alphabeta", STOCKFISH_2000, 40, "random:6", clock="10+0.1"),
    ),
    "connect_four": (
        Measurement("zoo:connect_four", "alphabeta:4", 200),
        Measurement("zoo:connect_four", "mcts:1000", 200),
        Measurement("zoo:connect_four:400", "mcts:5000", 40),
        Measurement("zoo:connect_four:400", OPENSPIEL, 20),
        kept("zoo:connect_four:400", 400),
        kept("solved:zoo:connect_four:400", 1000),
        kept("mcts:1000", 400),
    ),
    "gin_rummy": (Measurement("zoo:gin_rummy", "random", 400),),
    "go": (
        Measurement("rave:1s", GNU_GO, 40, "random:2", game="go:size=9,komi=7"),
        Measurement("rave:1s", GNU_GO, 6, "random:2", game="go:size=13"),
    ),
    "gomoku": (
        Measurement("solved:rave:1s", "rave:1s", 20),
        Measurement("solved:rave:1s", OPENSPIEL, 20),
    ),
    "goofspiel": (
        Measurement("ismcts:1000", "random", 100),
        Measurement("ismcts:1000", "perfect", 1000, "random:0", game="goofspiel:cards=4"),
        exploited("ismcts:1000", "goofspiel:cards=4"),
    ),
    "hanabi": (Measurement("zoo:hanabi", "", 4000),),
    "hex": (
        Measurement("rave:1s", OPENSPIEL, 10, game="hex:swap=False"),
        Measurement("rave:1s", OPENSPIEL, 10, game="hex:size=7,swap=False"),
    ),
    "kalah": (
        Measurement("alphabeta:10", "mcts:2000", 40),
        Measurement("alphabeta:1s", OPENSPIEL, 10),
        Measurement("solved:alphabeta:1s", OPENSPIEL, 20, "random:0"),
    ),
    "kuhn_poker": (exploited("champion"), Measurement("champion", "random", 10000)),
    "leduc_holdem": (exploited("champion"), Measurement("champion", "random", 10000)),
    "leduc_poker": (exploited("champion"), Measurement("champion", "random", 10000)),
    "liars_dice": (exploited("champion"), Measurement("champion", "random", 4000)),
    "matrix_game": (Measurement("ismcts:1000", "random", 1000, "random:0"),),
    "othello": (
        Measurement("zoo:othello", "alphabeta:4", 40),
        Measurement("zoo:othello", "mcts:1000", 40),
        Measurement("zoo:othello:400", "mcts:4000", 20),
        Measurement("solved:zoo:othello:400", "zoo:othello:400", 100),
        Measurement("solved:zoo:othello:400", OPENSPIEL, 20),
    ),
    "pig": (
        Measurement("perfect", "mcts:1000", 1000),
        Measurement("mcts:1000", "mcts:200", 400),
        Measurement("mcts:1000", "alphabeta:4", 200),
    ),
    "texas_holdem": (
        Measurement("zoo:texas_holdem", "random", 5000),
        locally_exploited("zoo:texas_holdem", 8_000),
    ),
    "texas_holdem_no_limit": (Measurement("zoo:texas_holdem_no_limit", "random", 20000),),
    "tic_tac_toe": (exploited("champion"), Measurement("champion", "mcts:1000", 100, "random:0")),
    "tron": (
        Measurement("ismcts:1000", "ismcts:200", 60),
        Measurement("ismcts:1000", "perfect", 1000, "random:0", game="tron:rows=4,columns=4"),
        exploited("ismcts:1000", "tron:rows=4,columns=4"),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="all by default")
    parser.add_argument("--store", type=Path, default=Path("runs/strength.db"))
    parser.add_argument("--seed", type=int, default=1000, help="of the games; none of it was used for choosing")
    parser.add_argument("--table", action="store_true", help="measure nothing, write the page of the cards")
    options = parser.parse_args()
    unknown = [name for name in options.games if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"no measurements of {unknown[0]}; known are {', '.join(MEASUREMENTS)}")
    if not options.table:
        options.store.parent.mkdir(parents=True, exist_ok=True)
        with closing(Store(str(options.store))) as store:
            for name in options.games or MEASUREMENTS:
                measure_game(name, options.seed, store)
    replace_text(PAGE, page({name: read_card(ZOO / name) for name in GAMES.names()}))
    print(f"wrote {PAGE}")


def measure_game(name: str, seed: int, store: Store) -> None:
    """Measure all of a game, and write each figure into its card as soon as it is known."""
    for one in MEASUREMENTS[name]:
        if one.program and shutil.which(one.program, path=PATH) is None:
            print(f"{name}: {one.program} is not installed ({PROGRAMS[one.program]}); left out")
            continue
        try:
            figure = measured(one, name, seed, store)
        except UsageError as error:
            print(f"{name}: {one.agent} against {one.against}: {error}")
            continue
        print(f"{name}: {words(figure)}", flush=True)
        card = read_card(ZOO / name)
        replace_text(ZOO / name / CARD, card_text(replace(card, figures=with_figure(card, figure))))


def measured(one: Measurement, name: str, seed: int, store: Store) -> Figure:
    """Return the figure of a measurement."""
    game = make_game(one.game or name)
    if one.measure == MATCH:
        figure = measure(game, one.agent, one.against, one.games, seed, one.openings, store, clock=one.clock)
        return replace(figure, game=one.game)
    began = time.process_time()
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    with closing(make_agent(one.agent, game)) as agent:
        if one.measure == KEPT:
            test_set = judge_positions(game, Judge("perfect", make_agent("perfect", game)), one.games, seed)
            total = analyse(test_set, one.agent, agent, seed).total
            score, (low, high) = total.share, total.interval
        elif one.measure == LOCAL:
            response = local_best_response(game, agent, one.agent, one.games, seed=seed)
            score, low, high = response.mean, response.mean - response.error, response.mean + response.error
        else:
            tree = build_tree(game, TREE)
            score = exploitability(tree, ask_strategy(tree, agent, one.agent, False, seed)).exploitability
            low = high = score
    seconds = round(time.process_time() - began, 1)
    return Figure(
        one.agent, one.against, score, low, high, one.games, seed, one.openings, seconds, date, one.measure, one.game
    )


def with_figure(card: ZooCard, figure: Figure) -> tuple[Figure, ...]:
    """Return the figures of a card with a new one in place of an older one of the same kind.

    Where both are of the same games, which the store had, the older one says what they took.
    """

    def kind(one: Figure) -> tuple[str, ...]:
        return one.agent, one.against, one.measure, one.game, one.clock

    kinds = [kind(one) for one in card.figures]
    if kind(figure) not in kinds:
        return (*card.figures, figure)
    place = kinds.index(kind(figure))
    older = card.figures[place]
    if replace(figure, seconds=older.seconds, date=older.date) == older:
        return card.figures
    return (*card.figures[:place], figure, *card.figures[place + 1 :])


def words(figure: Figure) -> str:
    """Return a figure in words, as the page has it."""
    on = f" on {figure.game}" if figure.game else ""
    on += f", each with a clock of {figure.clock}" if figure.clock else ""
    if figure.measure == EXPLOITABILITY:
        return f"`{figure.agent}`: a best response wins {figure.score:.6f} a game{on}"
    if figure.measure == LOCAL:
        won = f"{figure.score:.3f} ({figure.low:.3f} to {figure.high:.3f})"
        return f"`{figure.agent}`: a local best response wins {won} big blinds a game"
    if figure.measure == KEPT:
        share = f"{figure.score:.1%} ({figure.low:.1%} to {figure.high:.1%})"
        return f"`{figure.agent}` keeps the value of {share} of {figure.games} solved positions"
    whom = f"against `{figure.against}`" if figure.against else "a game, in a team of its own"
    if figure.by_return:
        return f"`{figure.agent}` earns {figure.score:.3f} ({figure.low:.3f} to {figure.high:.3f}) {whom}{on}"
    return f"`{figure.agent}` scores {figure.score:.1%} ({figure.low:.1%} to {figure.high:.1%}) {whom}{on}"


def page(cards: dict[str, ZooCard]) -> str:
    """Return the page of all cards."""
    lines = [TITLE, "", "| game | champion | why |", "|---|---|---|"]
    lines += [f"| `{name}` | `{card.champion}` | {card.why} |" for name, card in cards.items()]
    lines += [
        "",
        "## Figures",
        "",
        FIGURES,
        "",
        "| game | figure | games | core-seconds | date |",
        "|---|---|---|---|---|",
    ]
    for name, card in cards.items():
        for figure in card.figures:
            lines.append(
                f"| `{name}` | {words(figure)} | {figure.games or ''} | {figure.seconds:,.0f} | {figure.date} |"
            )
    lines += [
        "",
        "## Levels",
        "",
        LEVELS,
        "",
        f"| game | {' | '.join(map(str, range(1, 11)))} |",
        f"|---{'|---' * 10}|",
    ]
    for name, card in cards.items():
        if card.levels:
            form = "{:+.2f}" if card.scale == RETURN else "{:.0f}"
            lines.append(f"| `{name}` | {' | '.join(form.format(level.rating) for level in card.levels)} |")
    lines += [
        "",
        "## Trainings",
        "",
        TRAININGS,
        "",
        "| game | command | core-seconds | date | from another seed |",
        "|---|---|---|---|---|",
    ]
    for name, card in cards.items():
        if (training := card.training) is not None:
            command = f"`{training.full_command}`"
            lines.append(f"| `{name}` | {command} | {training.compute} | {training.date} | {training.second_seed} |")
    return "\n".join(lines) + "\n"


TITLE = """# Strength

Written by `python scripts/strength.py` from the cards in `agents/zoo`. `arena zoo` lists them, `arena agents --game
GAME` shows the levels of one, and `arena zoo verify GAME` plays the games of its first figure again."""
FIGURES = """Scores are points a game, a draw is half a point; in games for chips what is earned a game. In brackets
stands the 95 % interval; few games make it wide. (In backgammon, where a win earns 1 and a loss -1, a score of 42 %
is -0.16 points a game.) Games begin with four random moves (none in games of chance), each
line from all seats. Core-seconds are those of all games of a row, both sides together, without those of other programs;
under a clock, what the clocks of both sides ran. `zoo:connect_four` and `zoo:othello` search 100 simulations a move.
`python scripts/strength.py GAME` measures them again, from the games in its store where they are there."""
LEVELS = """Ratings of `level:1` to `level:10`: Elo, where `random` is 0; with a sign, what a level earns a game, in
games for chips from a random player, in `hanabi` in a team of its own. Those of go are from 9x9. Their 95 %
intervals, by `arena agents --game GAME`, are wide compared with a step. `python scripts/calibrate.py` measures them."""
TRAININGS = """On one core of a machine that did other work besides: core-seconds are those of the clock, and so the
most that a training took. Options that a command does not name have their defaults."""


if __name__ == "__main__":
    main()
