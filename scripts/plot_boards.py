"""Draw every game in the middle of a random game into one picture, for the documentation.

    python scripts/plot_boards.py [FILE.png]

It shows all games of the catalogue, on the one ground that images have. The pictures are those of
`arena replay N --export FILE.png`: what a game says of its board, drawn as an image. How each looks on a screen,
dark and light, is kept in `tests/tui/snapshots`.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from arena.base.saving import write_whole
from arena.match.match import Match
from arena.policy.registry import GAMES, make_game
from arena.tui.drawing.pictures import Frame, image
from games.engine.picture import Picture

FILE = Path(__file__).parent / "pictures" / "boards.png"
WIDTH, TILE, GAP = 1600, (388, 330), 8
GROUND = (250, 250, 247)


def middle_of(name: str, seed: int = 5) -> Picture:
    """Return the picture of a position halfway through a game of random moves, of 120 moves at most."""
    game, rng = make_game(name), np.random.default_rng(seed)
    match = Match(game, [(agent, None) for agent in game.agents], seed)
    pictures = [game.picture(match.state)]
    while not match.over and len(pictures) < 120:
        match.play(int(rng.choice(np.flatnonzero(match.legal))))
        pictures.append(game.picture(match.state))
    return pictures[(len(pictures) + 1) // 2]


def sheet(names: list[str]) -> Image.Image:
    """Return all games side by side, row by row."""
    columns = WIDTH // (TILE[0] + GAP)
    rows = -(-len(names) // columns)
    canvas = Image.new("RGB", (WIDTH, rows * (TILE[1] + GAP)), GROUND)
    for number, name in enumerate(names):
        drawn = image(Frame(middle_of(name), (make_game(name).title,)))
        drawn.thumbnail(TILE, Image.Resampling.LANCZOS)
        row, column = divmod(number, columns)
        canvas.paste(drawn, (column * (TILE[0] + GAP) + (TILE[0] - drawn.width) // 2, row * (TILE[1] + GAP)))
    return canvas


def main(arguments: list[str]) -> int:
    """Write the picture; return the exit status."""
    file = Path(arguments[0]) if arguments else FILE
    drawn = sheet(sorted(GAMES.names()))
    write_whole(file, lambda draft: drawn.save(draft, "PNG", optimize=True))
    print(f"{len(GAMES.names())} games are in {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
