"""What a language model is told: the rules once, then each position as its seat may see it."""

from collections.abc import Sequence

from agents.outside.llm.obfuscation import OtherNames
from agents.outside.policy import Turn
from games.engine.game import Game
from games.engine.manual import manual_of

RULES = ("How it is played", "Notation")
"""Parts of a manual that are told; advice and history are not."""
TASK = """\
When you are asked for a move, think as long as you like. Then end your answer with one line of its own:
Final Answer: MOVE
where MOVE is one legal move, written as above and nothing else."""
AGAIN = "Think again, and end with one line of its own:\nFinal Answer: MOVE"
MOST_MOVES = 400
"""Most moves of the history that are told; older ones are left out."""


class Prompts:
    """The texts for one game, under other names if there are any; `before` comes before the rules."""

    def __init__(self, game: Game, before: str = "", listed: bool = True, names: OtherNames | None = None):
        self._game, self._listed, self._names = game, listed, names
        self.rules = self._rules(before)
        """The message at the beginning, which holds the rules."""

    def _rules(self, before: str) -> str:
        game, names = self._game, self._names
        title = game.title if names is None else "a board game"
        parts = [before] if before else []
        parts.append(f"You are playing {title}, with {game.num_players} players.")
        if names is None:
            sections = [section for section in manual_of(game) if section.heading in RULES]
            parts += [f"{section.heading}:\n" + "\n".join(section.paragraphs) for section in sections]
        else:
            parts += names.rules(game, RULES)
        if game.options:
            parts.append(
                "Options of this game: " + ", ".join(f"{name} {value}" for name, value in game.options.items())
            )
        return "\n\n".join([*parts, TASK])

    def move(self, text: str) -> str:
        """Return a move as it is told."""
        return text if self._names is None else self._names.rename(text)

    def usual(self, text: str) -> str:
        """Return what was told as a move as the game writes it."""
        return text if self._names is None else self._names.restore(text)

    def position(self, turn: Turn, legal: Sequence[str]) -> str:
        """Return what is told of a position: the seat, the board as it sees it, the moves so far, and the legal ones.

        `legal` are the moves as they are told, where they are.
        """
        game, names = self._game, self._names
        picture = game.picture(turn.state)
        board = picture.text() if names is None else names.board(game, turn)
        parts = [f"You are player {turn.seat + 1} of {game.num_players}{self._side(turn)}. The position:\n{board}"]
        if game.position_text is not None and names is None:
            parts.append(f"In one line: {game.position_text(turn.state)}")
        moves = list(map(self.move, turn.history))
        if moves:
            earlier = f"({len(moves) - MOST_MOVES} earlier ones) " if len(moves) > MOST_MOVES else ""
            parts.append(f"Moves so far: {earlier}{', '.join(moves[-MOST_MOVES:])}")
        if self._listed:
            parts.append(f"Legal moves: {', '.join(legal)}")
        return "\n\n".join([*parts, "It is your turn. Which move do you play?"])

    def _side(self, turn: Turn) -> str:
        """Return the colour and the mark of a seat, as far as the board has them."""
        picture = self._game.picture(turn.state)
        side = f", {picture.sides[turn.seat]}" if picture.sides and self._names is None else ""
        mark = picture.mark(turn.seat)
        if picture.letters is not None and mark not in picture.text():
            return side
        return f"{side} ({mark if self._names is None else self._names.mark(mark)})"
