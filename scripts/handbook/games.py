"""Pages of games: rules, spaces, options and source, from each game's description, manual and module."""

import importlib
from io import BytesIO

import numpy as np
from plot_boards import middle_of

import games as catalogue
from arena.cli.games import GameRow, game_row
from arena.policy.registry import GAMES, make_game
from arena.policy.zoo.entries import entries
from arena.tui.drawing.pictures import DARK, LIGHT, Frame, image
from games.engine.game import Game
from games.engine.manual import manual_of
from handbook import speed
from handbook.markdown import docstring, listing, table, toctree

FOLDER = "reference/game"


def pages() -> dict[str, str | bytes]:
    """Return a page and two pictures for every game, and their list."""
    made: dict[str, str | bytes] = {}
    rows = []
    for name in sorted(GAMES.names()):
        game = make_game(name)
        row = game_row(game)
        made[f"{FOLDER}/{name}.md"] = game_page(name, game, row)
        for ground, paper in (("light", LIGHT), ("dark", DARK)):
            file = BytesIO()
            image(Frame(middle_of(name)), paper).save(file, "PNG", optimize=True)
            made[f"{FOLDER}/{name}-{ground}.png"] = file.getvalue()
        rows.append((name, name, f"{game.title}: {row.traits}"))
    head = "# Games\n\nWhat `arena games NAME` says, and a picture. Options follow the name: `go:size=9,komi=7`."
    made[f"{FOLDER}/index.md"] = "\n\n".join([head, listing(rows), toctree(sorted(GAMES.names()))])
    return made


def game_page(name: str, game: Game, row: GameRow) -> str:
    """Return the page of one game."""
    card = entries()[name].card
    module = importlib.import_module(catalogue.GAMES[name].partition(":")[0])
    options = " ".join(f"`{key}={value}`" for key, value in row.options.items())
    facts = [
        ("seats", ", ".join(f"`{agent}`" for agent in game.agents)),
        ("kind", row.traits),
        ("actions", f"{row.actions:,}, numbered from 0; illegal ones are masked"),
        ("observation", f"`{np.dtype(game.observation_dtype)}`, {' x '.join(map(str, row.observation))}"),
        ("options and their defaults", options or "none"),
        ("longest game", f"{game.max_length:,} actions"),
        (
            "symmetries",
            f"{len(game.symmetries)} besides the identity, used by AlphaZero" if game.symmetries else "none",
        ),
        ("PettingZoo", f"same spaces, masks and rewards as `{row.pettingzoo}`" if row.pettingzoo else "no such game"),
        ("champion", f"`{card.champion}`, {card.why}"),
    ]
    parts = [
        f"# {game.title}",
        f'<img class="only-light" alt="{game.title}, in the middle of a random game" src="{name}-light.png">'
        f'<img class="only-dark" alt="{game.title}, in the middle of a random game" src="{name}-dark.png">',
        f"```sh\narena play {name}\narena train {name} ppo\n```",
        table(["", ""], facts),
    ]
    for section in manual_of(game):
        parts.append(f"## {section.heading}")
        parts.append(
            "\n".join(paragraph if paragraph.startswith("- ") else f"{paragraph}\n" for paragraph in section.paragraphs)
        )
    if lines := speed.of_game(name):
        parts += ["## Speed", table(speed.COLUMNS, lines), "More on [a page of its own](../../measured/speed.md)."]
    parts += ["## As an environment", f"From `{module.__name__}`:", docstring(module)]
    return "\n\n".join(parts)
