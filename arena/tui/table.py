"""The match that a screen shows: the table where it is played, and snapshots of its positions."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena.analysis.position import analyse_position
from arena.match.ask import NO_ACTION, Answer, begin
from arena.match.files import WrittenMatch
from arena.match.match import Match
from arena.match.replay import empty_seats, settle
from arena.match.verdict import Verdict
from arena.policy.protocol import Policy
from games.engine.game import Game, State
from games.engine.picture import Picture

Cell = tuple[int, int]
"""Row and column of a picture."""


@dataclass(frozen=True, eq=False)
class Position:
    """One position of a match and how it came about; never changes."""

    state: State
    picture: Picture
    seat: int
    """To move; at the end, the seat that moved last."""
    legal: Mapping[int, str] = field(default_factory=dict)
    """Every legal action in the game's notation; none once the match is over."""
    action: int | None = None
    """The action that led here; None at the start, and where a match ended without one."""
    move: str = ""
    """That action in the game's notation."""
    verdict: Verdict | None = None
    closed: Picture | None = None
    """The same with every hand as backs, where `picture` shows more than each of the seats may know."""
    took_s: float = 0.0
    """Seconds that an agent took for the move that led here."""
    line: tuple[str, ...] = ()
    """The line of play that it expected then, from that move on; empty if it does not tell."""

    @property
    def hides(self) -> bool:
        """Whether open hands show more of it."""
        return self.closed is not None and _seen_in(self.picture) != _seen_in(self.closed)

    @property
    def targets(self) -> dict[Cell, list[int]]:
        """Cells where legal actions take place, with those actions."""
        return self._by_cell(self.picture.action_cells)

    @property
    def origins(self) -> dict[Cell, list[int]]:
        """Cells of the pieces that may move, with the actions that move them; none where pieces do not move."""
        origins = self.picture.action_origins
        return {} if origins is None else self._by_cell(origins)

    def _by_cell(self, cells: NDArray[np.int64]) -> dict[Cell, list[int]]:
        """Legal actions by their cell in `cells` [A, 2]."""
        found: dict[Cell, list[int]] = {}
        for action in self.legal:
            row, column = cells[action].tolist()
            if row >= 0:
                found.setdefault((row, column), []).append(action)
        return found

    def chances(self, answer: Answer | None) -> dict[int, float]:
        """The chance that `answer` gives each legal action; empty if it tells none, or nonsense."""
        if answer is None or answer.probs is None or answer.probs.shape != (len(self.picture.action_cells),):
            return {}
        chances = {action: float(answer.probs[action]) for action in self.legal}
        return chances if all(0 <= chance <= 1.001 for chance in chances.values()) else {}

    def visits(self, answer: Answer | None) -> dict[int, int]:
        """How often the search behind `answer` has tried each legal action; empty if it tells nothing, or nonsense."""
        if answer is None or answer.visits is None or answer.visits.shape != (len(self.picture.action_cells),):
            return {}
        return {action: int(answer.visits[action]) for action in self.legal}

    def on_cells(self, chances: Mapping[int, float]) -> dict[Cell, float]:
        """Chances of actions as chances of the cells where they take place."""
        return {
            cell: sum(chances[action] for action in actions if action in chances)
            for cell, actions in self.targets.items()
            if chances
        }


def _seen_in(picture: Picture) -> tuple[object, ...]:
    letters = None if picture.letters is None else picture.letters.tolist()
    return picture.pieces.tolist(), letters, picture.notes


def first_position(game: Game) -> Position:
    """The start as it looks, for a screen to show while the match is being set up."""
    return Position(game.initial, game.picture(game.initial), max(int(game.initial["current_player"]), 0))


@dataclass(frozen=True, eq=False)
class Opinion:
    """What an agent thinks of a position that it does not play in."""

    answer: Answer
    line: tuple[str, ...] = ()
    """The line of play that it expects; empty if it does not tell."""


class Table:
    """Holds the match in play; its methods take as long as agents do and belong to one thread."""

    def __init__(self, game: Game):
        self.game = game

    def deal(
        self, players: Sequence[tuple[str, Policy | None]], seed: int, actions: Sequence[int] = ()
    ) -> tuple[Position, ...]:
        """Start a match anew, with `actions` already played; returns all its positions so far."""
        self._match = Match(self.game, players, seed)
        self._people = [seat for seat, (_, policy) in enumerate(players) if policy is None]
        self._viewer = next(iter(self._people), 0)
        return (self._look(), *(self.play(action) for action in actions))

    def unroll(self, written: WrittenMatch) -> tuple[Position, ...]:
        """All positions of a match that was played before; `UsageError` if it cannot have been."""
        self._match, self._people = empty_seats(written.game, written.players, written.seed), []
        positions = [self._look(), *(self.play(action) for action in written.actions)]
        if written.verdict is not None:
            settled = self._match.over
            settle(self._match, written.verdict)
            if not settled:
                positions.append(self._look())
        return tuple(positions)

    def analyse(self, policy: Policy, written: WrittenMatch, number: int) -> Opinion:
        """What `policy` would do in the position after `number` actions of a match."""
        moves, seed = written.actions[:number], written.seed
        failure = begin(policy, seed)
        if failure is not None:
            return Opinion(Answer(NO_ACTION, failure))
        answer = analyse_position(written.game, moves, policy, seed)
        if answer.pv is None:
            return Opinion(answer)
        nobody = [(name, None) for name in written.players]
        return Opinion(answer, Match(written.game, nobody, seed, moves).line(answer.pv.tolist()))

    def play(self, action: int) -> Position:
        """Play a person's action; raises as `Match.play` does."""
        text = self.game.action_text(self._match.state, action)
        self._match.play(action)
        return self._look(action, text)

    def advance(self) -> tuple[Answer, Position]:
        """Let the agent to move answer and play."""
        match = self._match
        before, played, start_s = match.state, len(match.actions), time.perf_counter()
        answer = match.advance()
        took_s = time.perf_counter() - start_s
        if len(match.actions) == played:  # it forfeits
            return answer, self._look(took_s=took_s)
        action = match.actions[-1]
        move = self.game.action_text(before, action)
        foreseen = [] if answer.pv is None else answer.pv.tolist()
        line = (move, *match.line(foreseen[1:])) if foreseen[:1] == [action] else ()
        return answer, self._look(action, move, took_s, line)

    def advise(self, policy: Policy, seed: int) -> Answer:
        """What `policy`, called in for this one question, would do now."""
        failure = begin(policy, seed)
        return Answer(NO_ACTION, failure) if failure else self.consult(policy)

    def consult(self, policy: Policy) -> Answer:
        """What `policy` would do now."""
        return self._match.consult(policy)

    def _seen(self) -> State:
        """The position as those before the screen may see it: all of it if nobody there plays."""
        match = self._match
        if not self._people or self.game.perfect_information:
            return match.state
        if match.seat in self._people:
            self._viewer = match.seat
        return match.shown_to(self._viewer)

    def _look(
        self, action: int | None = None, move: str = "", took_s: float = 0.0, line: tuple[str, ...] = ()
    ) -> Position:
        match, state = self._match, self._seen()
        legal = {int(choice): self.game.action_text(state, int(choice)) for choice in np.flatnonzero(match.legal)}
        hides = not (self._people or self.game.perfect_information)
        closed = self.game.picture(match.shown_to(*range(self.game.num_players))) if hides else None
        picture = self.game.picture(state)
        return Position(state, picture, match.seat, legal, action, move, match.verdict, closed, took_s, line)
