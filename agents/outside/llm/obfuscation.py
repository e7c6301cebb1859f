"""Other names for the squares, pieces and moves of a game, so that recall and reasoning can be told apart.

The game stays the same: letters and digits of labels, pieces and moves are permuted by a seed, marks are replaced, and
neither the game nor its standard notation are named. A model that thinks plays as well as before; one that remembers
games by their names does not.
"""

import re
import string
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agents.outside.policy import Turn
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from games.engine.game import Game
from games.engine.manual import manual_of
from games.engine.picture import MARKS, Picture

OTHER_MARKS = "◆◇★☆"
QUOTED = re.compile(r"`[^`]+`|\bO-O(?:-O)?\b|\b(?=\w*\d)(?=\w*[A-Za-z])[\w=+-]+\b")
"""What a manual writes in the notation of its game."""


class OtherNames:
    """A permutation of letters, the same for capitals, and of the digits from 1; with the words of prompts in it.

    Raises `UsageError` for games whose numbers and words are more than names: those with cards, dice or hidden moves.
    """

    def __init__(self, game: Game, seed: int):
        if game.has_chance or not game.perfect_information or game.picture(game.initial).row_labels == ():
            raise UsageError(
                f"llm: obfuscate renames squares, pieces and moves of board games without chance; {game.label} is none"
            )
        rng = make_rng(seed)
        small, digits = string.ascii_lowercase, string.digits[1:]
        others = "".join(rng.permutation(list(small)))
        numbers = "".join(rng.permutation(list(digits)))
        before, after = small + small.upper() + digits, others + others.upper() + numbers
        self._names, self._back = str.maketrans(before, after), str.maketrans(after, before)
        self._marks = str.maketrans(MARKS, OTHER_MARKS)

    def rename(self, text: str) -> str:
        """Return a move or a label under its other name."""
        return text.translate(self._names)

    def restore(self, text: str) -> str:
        """Return a move or a label under its usual name."""
        return text.translate(self._back)

    def rules(self, game: Game, headings: Sequence[str]) -> list[str]:
        """Return the sections of the manual, with what they quote renamed."""
        sections = [section for section in manual_of(game) if section.heading in headings]
        texts = [f"{section.heading}:\n" + "\n".join(section.paragraphs) for section in sections]
        texts = [QUOTED.sub(lambda quoted: self.rename(quoted[0]), text) for text in texts]
        letters = game.picture(game.initial).letters
        pieces = set() if letters is None else {one for one in letters.ravel().tolist() if one.isalpha()}
        if pieces:
            texts.append("Pieces are written " + ", ".join(f"{self.rename(one)} for {one}" for one in sorted(pieces)))
        return texts

    def board(self, game: Game, turn: Turn) -> str:
        """Return the board with its labels and pieces renamed."""
        picture = game.picture(turn.state)
        return self.picture(picture).text().translate(self._marks)

    def mark(self, mark: str) -> str:
        """Return the other mark of a seat."""
        return mark.translate(self._marks)

    def picture(self, picture: Picture) -> Picture:
        """Return a picture with its labels and pieces renamed; numbers on it that count something stay."""
        letters = picture.letters
        if letters is not None:
            renamed = [self.rename(one) if one.isalpha() else one for one in letters.ravel().tolist()]
            letters = np.array(renamed, letters.dtype).reshape(letters.shape)
        rows, columns, bottom = (
            tuple(label if set(label) & set(MARKS) else self.rename(label) for label in labels)
            for labels in (picture.row_labels, picture.column_labels, picture.bottom_labels)
        )
        return replace(picture, letters=letters, row_labels=rows, column_labels=columns, bottom_labels=bottom)
