"""A match as a screen shows it: its positions so far, in a series of games."""

from collections.abc import Callable, Mapping

from arena.match.ask import Answer
from arena.tui.state.live_match import Position, first_position
from arena.tui.state.score import score_of, score_words
from arena.tui.state.series import Series
from arena.tui.state.words import result
from arena.tui.widgets.moves import MoveRecord
from arena.tui.widgets.players import Player
from arena.tui.widgets.thoughts import Thought
from games.engine.actions import Action
from games.engine.game import Game


class ShownMatch:
    """Snapshots of the current match of a series; the match itself belongs to the agents' thread."""

    def __init__(self, game: Game, series: Series):
        self.game, self.series = game, series
        self.positions: list[Position] = [first_position(game)]
        """The match so far."""
        self.answers: dict[int, Answer] = {}
        """The agents' answers, by the number of the position."""

    @property
    def latest(self) -> Position:
        """The latest position."""
        return self.positions[-1]

    @property
    def actions(self) -> tuple[Action, ...]:
        """Actions of the match so far."""
        return tuple(position.action for position in self.positions if position.action is not None)

    @property
    def seat_names(self) -> list[str]:
        """Names by seat in this game."""
        return [self.series.names[contestant] for contestant in self.series.seated()]

    def players(self, position: Position, doing: str, clock: Callable[[int], str]) -> tuple[Player, ...]:
        """Return every contestant with its score and clock; the one to move is `doing` something."""
        seats = [self.series.seat_of(i) for i in range(len(self.series.names))]
        return tuple(
            Player(
                name,
                seats[i],
                score_of(self.game, self.series, i),
                doing if position.verdict is None and seats[i] == position.seat else "",
                clock(seats[i]),
            )
            for i, name in enumerate(self.series.names)
        )

    def record(self, shown: int, known: int, marks: Mapping[int, str] | None = None) -> MoveRecord:
        """Return the moves that led to position `known`, with position `shown` marked.

        `marks` are written behind the moves that led to the positions of these numbers.
        """
        moves = tuple(
            position.move + (marks or {}).get(number, "")
            for number, position in enumerate(self.positions[: known + 1])
            if position.action is not None
        )
        return MoveRecord(moves, min(shown, len(moves)), self.game.num_players)

    def result_at(self, position: Position) -> str:
        """Return how the match ended in a position, in words; empty if it goes on."""
        if position.verdict is None:
            return ""
        sides, competitive = position.picture.sides, self.game.competitive
        return result(position.verdict, self.seat_names, len(self.actions), sides, competitive)

    def standings(self) -> str:
        """Return the score: `1½ – ½`, a balance in chips, or what the team earns."""
        return score_words(self.game, self.series)

    def remarks(self) -> list[str]:
        """Return the game and its options."""
        options = ", ".join(f"{name} {value}" for name, value in self.game.options.items())
        return [f"{self.game.title}: {options}" if options else self.game.title]


def thought_from(title: str, position: Position, answer: Answer | None, line: tuple[str, ...]) -> Thought:
    """Return an agent's answer as a snapshot to draw, under a title."""
    chances, visits = position.chances(answer), position.visits(answer)
    remark = "reports no probabilities" if answer is not None and not chances else ""
    return Thought(
        position.seat,
        title,
        {position.legal[action]: chance for action, chance in chances.items()},
        answer.value if answer else None,
        remark,
        {position.legal[action]: count for action, count in visits.items()},
        line,
    )
