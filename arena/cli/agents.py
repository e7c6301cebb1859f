"""`arena agents`: the agents that can play, and those that can be trained."""

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import tyro

from arena.base.tables import Column, print_table
from arena.policy.registry import AGENTS, agent_kind, make_game
from arena.policy.zoo.card import ELO, Level
from arena.policy.zoo.entries import card_of, fits
from arena.policy.zoo.opponents import champion_of, levels_of

INTERVAL_NOTE = "\N{PLUS-MINUS SIGN} is the 95 % interval"


@dataclass(frozen=True)
class Options:
    """List the agents with the spec that names each, and which of them 'arena train' can train.

    With a game, list its champion and its levels, and how strong they are.
    """

    game: Annotated[str, tyro.conf.arg(metavar="GAME")] = ""
    """Game whose champion and levels are listed; by default all agents are, whatever they play."""
    json: bool = False
    """Print JSON instead of a table."""


def run(options: Options) -> int:
    """Print the list."""
    if options.game:
        return _of_game(options)
    rows = []
    for name in AGENTS.names():
        kind = agent_kind(name)
        spec = f"{name}:{kind.argument}" if kind.argument else name
        row = {"agent": spec, "what": kind.summary, "actions": "discrete", "training": "", "paper": ""}
        if (algorithm := kind.algorithm) is not None:
            row |= {"actions": ", ".join(algorithm.actions), "training": algorithm.data, "paper": algorithm.paper}
        rows.append(row)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    columns = (
        Column("agent", least=24),
        Column("what it is", least=24),
        Column("training", rank=1),
        Column("actions", rank=2),
        Column("paper", rank=3),
    )
    print_table(columns, [[row[key] for key in ("agent", "what", "training", "actions", "paper")] for row in rows])
    return 0


def rating_words(level: Level, scale: str) -> str:
    """Return the rating of a level with its interval, in the digits of its scale."""
    digits = 0 if scale == ELO else 2
    return f"{level.rating:+.{digits}f} \N{PLUS-MINUS SIGN} {level.error:.{digits}f}"


def _of_game(options: Options) -> int:
    """Print the champion of a game, and its levels with their strength."""
    game = make_game(options.game)
    card = card_of(game)
    levels = levels_of(card, game)
    rows: list[dict[str, object]] = [
        {"agent": f"level:{number}", "plays": level.agent, "rating": level.rating, "error_95": level.error}
        for number, level in enumerate(levels, start=1)
    ]
    why = card.why if fits(card, game) else f"{card.champion} plays {card.game} alone"
    champion = {"agent": "champion", "plays": champion_of(game), "why": why}
    if options.json:
        figures = [asdict(figure) for figure in card.figures]
        print(json.dumps({"game": game.spec, "scale": card.scale, "agents": [*rows, champion], "figures": figures}))
        return 0
    cells = [
        [str(row["agent"]), str(row["plays"]), rating_words(level, card.scale)]
        for row, level in zip(rows, levels, strict=True)
    ]
    headings = (Column("agent"), Column("plays as", least=20), Column(card.scale, right=True))
    print_table(headings, [*cells, ["champion", champion["plays"], ""]])
    print(f"champion: {why}")
    if levels:
        team = "from a random player" if game.competitive else "in a team of its own"
        scale = "Elo: random is 0" if card.scale == ELO else f"return: what it earns a game {team}"
        print(f"{scale}; {INTERVAL_NOTE}")
        measured_on = card.levels_on or card.game
        if make_game(measured_on).label != game.label:
            print(f"The levels were measured on {measured_on}.")
    return 0
