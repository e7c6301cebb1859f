"""Draw every game in the middle of a random game into one picture, for the documentation: on light and on dark ground.

    python scripts/plot_boards.py [FOLDER]

It writes `boards.png` and `boards-dark.png`, with all games of the catalogue. The pictures are those of
`arena replay N --export FILE.png`: what a game says of its board, drawn as an image. How each looks on a screen,
dark and light, is kept in `tests/tui/snapshots`.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from arena.base.saving import write_whole
from arena.match.match import Match
from arena.policy.registry import GAMES, make_game
from arena.tui.drawing.pictures import DARK, LIGHT, Frame, Paper, image
from games.engine.picture import Picture

FOLDER = Path(__file__).parent / "pictures"
FILES = {"boards.png": LIGHT, "boards-dark.png": DARK}
WIDTH, TILE, GAP = 1600, (388, 330), 8


def middle_of(name: str, seed: int = 5) -> Picture:
    """Return the picture of a position halfway through a game of random moves, of 120 moves at most."""
    game, rng = make_game(name), np.random.default_rng(seed)
    match = Match(game, [(agent, None) for agent in game.agents], seed)
    pictures = [game.picture(match.state)]
    while not match.over and len(pictures) < 120:
        match.play(int(rng.choice(np.flatnonzero(match.legal))))
        pictures.append(game.picture(match.state))
    return pictures[(len(pictures) + 1) // 2]


def sheet(names: list[str], paper: Paper) -> Image.Image:
    """Return all games side by side, row by row."""
    columns = WIDTH // (TILE[0] + GAP)
    rows = -(-len(names) // columns)
    canvas = Image.new("RGB", (WIDTH, rows * (TILE[1] + GAP)), paper.ground)
    for number, name in enumerate(names):
        drawn = image(Frame(middle_of(name), (make_game(name).title,)), paper)
        drawn.thumbnail(TILE, Image.Resampling.LANCZOS)
        row, column = divmod(number, columns)
        canvas.paste(drawn, (column * (TILE[0] + GAP) + (TILE[0] - drawn.width) // 2, row * (TILE[1] + GAP)))
    return canvas


def main(arguments: list[str]) -> int:
    """Write the pictures; return the exit status."""
    folder = Path(arguments[0]) if arguments else FOLDER
    names = sorted(GAMES.names())
    for file, paper in FILES.items():
        drawn = sheet(names, paper).quantize(256, dither=Image.Dither.NONE)
        write_whole(folder / file, partial(drawn.save, format="PNG", optimize=True))
        print(f"{len(names)} games are in {folder / file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
