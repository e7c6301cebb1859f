"""Export a match to a file: text in the game's notations, an image of a position, or an animation."""

from collections.abc import Sequence
from pathlib import Path

from arena.base.saving import write_whole
from arena.base.text import printable
from arena.match.files import WrittenMatch, match_text
from arena.tui.drawing.pictures import Frame, save_gif, save_png
from arena.tui.state.words import result
from games.engine.picture import Picture

FRAME_S = 0.6


def export(match: WrittenMatch, pictures: Sequence[Picture], path: Path, number: int = -1) -> str:
    """Write a match to a file in the format of its suffix: a .png of position `number`, a .gif, or a text.

    `pictures` are those of all its positions in order. Return a sentence for the user; raise `UsageError` if the file
    cannot be written.
    """
    suffix = path.suffix.lower()
    names = [f"{pictures[0].mark(seat)} {printable(name)}" for seat, name in enumerate(match.players)]
    ended = ""
    if match.verdict is not None:
        sides, competitive = pictures[0].sides, match.game.competitive
        ended = printable(result(match.verdict, match.players, len(match.actions), sides, competitive))
    last = len(pictures) - 1
    frames = [
        Frame(picture, ("   ".join(names), ended if ended and i == last else f"move {min(i, len(match.actions))}"))
        for i, picture in enumerate(pictures)
    ]
    if suffix == ".png":
        save_png(frames[number], path)
        return f"position {number % len(frames)} is in {path}"
    if suffix == ".gif":
        save_gif(frames, path, FRAME_S)
        return f"{len(frames)} positions are in {path}"
    text = match_text(match, suffix, others=(".gif", ".png"))
    write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"))
    return f"the match is in {path}"
