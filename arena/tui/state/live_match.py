"""The match in play on a screen, and snapshots of its positions."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.match.ask import NO_ACTION, Answer, begin
from arena.match.files import WrittenMatch
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.position import analyse_position
from arena.match.replay import empty_seats, named, settle, steps_of
from arena.match.shown import ShownSteps
from arena.match.starts import Opening, parted, with_start
from arena.match.verdict import Reason, Verdict
from arena.policy.clock import ClockReading
from arena.policy.protocol import Policy
from games.engine.actions import Action, ActionBox
from games.engine.game import Game, State
from games.engine.picture import Picture

Cell = tuple[int, int]
"""Row and column of a picture."""
IMAGINED, IMAGINED_S = 8, 1.0
"""Length of the line that goes with a hint, and the seconds after which it is not continued."""


@dataclass(frozen=True, eq=False)
class Position:
    """A position of a match and how it was reached; immutable."""

    state: State
    picture: Picture
    seat: int
    """Seat to move; at the end, the seat that moved last."""
    legal: Mapping[int, str] = field(default_factory=dict)
    """Every legal action in the game's notation; empty once the match is over."""
    action: Action | None = None
    """Action that led here; None at the start, and if the match ended without one."""
    move: str = ""
    """Notation of that action in the game."""
    verdict: Verdict | None = None
    closed: Picture | None = None
    """The picture with all hands as backs, where `picture` shows more than every seat may know; else None."""
    took_s: float = 0.0
    """Seconds that the agent took for the move that led here."""
    line: tuple[str, ...] = ()
    """Moves that the agent expected then, that move first; empty if it does not report them."""

    action_box: ActionBox | None = None
    """The continuous actions of the seat to move, which `legal` does not list; None where they are numbered."""

    def allows(self, action: Action) -> bool:
        """Return whether an action is legal here."""
        if not isinstance(action, tuple):
            return action in self.legal
        if self.action_box is None:
            return action[0] in self.legal
        own = np.array(action[: len(self.action_box.low)])
        return own.shape == self.action_box.low.shape and bool(self.action_box.contain(own)) and self.verdict is None

    def read(self, game: Game, text: str) -> Action:
        """Return the action that a text means here; `UsageError` if it means none."""
        if game.repeatable:
            return game.parse_action(self.state, text)
        if self.action_box is not None:
            return game.exact(self.action_box.parse(text))
        wanted = text.strip()  # the game cannot be brought here again to be asked
        for action, name in self.legal.items():
            if name.strip().lower() == wanted.lower():
                return action
        if wanted.isascii() and wanted.isdigit() and int(wanted) in self.legal:
            return int(wanted)
        raise UsageError(f"{wanted!r} is no action here; actions are named as listed, or numbered from 0")

    @property
    def hides(self) -> bool:
        """True if open hands show more than closed ones."""
        return self.closed is not None and _visible_parts(self.picture) != _visible_parts(self.closed)

    @property
    def targets(self) -> dict[Cell, list[int]]:
        """Legal actions by the cell where they take place."""
        return self._by_cell(self.picture.action_cells)

    @property
    def origins(self) -> dict[Cell, list[int]]:
        """Legal actions by the cell of the piece that they move; empty if pieces do not move."""
        origins = self.picture.action_origins
        return {} if origins is None else self._by_cell(origins)

    def _by_cell(self, cells: NDArray[np.int64]) -> dict[Cell, list[int]]:
        """Return the legal actions by their cell in `cells` [A, 2]."""
        actions_by_cell: dict[Cell, list[int]] = {}
        for action in self.legal:
            row, column = cells[action].tolist()
            if row >= 0:
                actions_by_cell.setdefault((row, column), []).append(action)
        return actions_by_cell

    def chances(self, answer: Answer | None) -> dict[int, float]:
        """Return the probability of each legal action; empty if `answer` has none, or invalid ones."""
        if answer is None or answer.probs is None or answer.probs.shape != (len(self.picture.action_cells),):
            return {}
        chances = {action: float(answer.probs[action]) for action in self.legal}
        return chances if all(0 <= chance <= 1.001 for chance in chances.values()) else {}

    def visits(self, answer: Answer | None) -> dict[int, int]:
        """Return the search visits of each legal action; empty if `answer` has none, or invalid ones."""
        if answer is None or answer.visits is None or answer.visits.shape != (len(self.picture.action_cells),):
            return {}
        return {action: int(answer.visits[action]) for action in self.legal}

    def on_cells(self, chances: Mapping[int, float]) -> dict[Cell, float]:
        """Return probabilities of actions summed by the cells where they take place."""
        return {
            cell: sum(chances[action] for action in actions if action in chances)
            for cell, actions in self.targets.items()
            if chances
        }


def _visible_parts(picture: Picture) -> tuple[object, ...]:
    letters = None if picture.letters is None else picture.letters.tolist()
    pixels = None if picture.pixels is None else picture.pixels.tobytes()
    return picture.pieces.tolist(), letters, picture.notes, pixels


def first_position(game: Game) -> Position:
    """Return the start, for a screen to show while the match is being set up."""
    return Position(game.initial, game.picture(game.initial), max(int(game.initial["current_player"]), 0))


@dataclass(frozen=True, eq=False)
class PositionAnalysis:
    """An agent's answer for a position that it does not play in."""

    answer: Answer
    line: tuple[str, ...] = ()
    """Moves that it expects; empty if it does not report them."""


class LiveMatch:
    """The match in play; its methods block while agents think, and belong to one thread."""

    def __init__(self, game: Game):
        self.game = game

    def deal(
        self,
        players: Sequence[tuple[str, Policy | None]],
        seed: int,
        opening: Opening = (),
        limits: Limits | None = None,
    ) -> tuple[Position, ...]:
        """Start a new match with an opening already played; return all its positions so far."""
        start, moves = parted(opening)
        self._match = Match(with_start(self.game, start), players, seed, limits=limits)
        self._people = [seat for seat, (_, policy) in enumerate(players) if policy is None]
        self._viewer = next(iter(self._people), 0)
        return (self._position(), *(self.play(action) for action in moves))

    def unroll(self, written: WrittenMatch) -> tuple[Position, ...]:
        """Return all positions of a stored match; `UsageError` if it does not replay."""
        steps = steps_of(written.shown, written.game, len(written.actions))
        if steps is not None:
            return _as_shown(written, steps)
        self._match, self._people = empty_seats(written.game, written.players, written.seed), []
        positions = [self._position(), *(self.play(action) for action in written.actions)]
        if written.verdict is not None:
            settled = self._match.over
            settle(self._match, written.verdict)
            if not settled:
                positions.append(self._position())
        return tuple(positions)

    def analyse(self, policy: Policy, written: WrittenMatch, number: int) -> PositionAnalysis:
        """Ask `policy` about the position after `number` actions of a match."""
        moves, seed = written.actions[:number], written.seed
        failure = begin(policy, seed)
        if failure is not None:
            return PositionAnalysis(Answer(NO_ACTION, failure))
        answer = analyse_position(written.game, moves, policy, seed)
        if answer.pv is None:
            return PositionAnalysis(answer)
        nobody = [(name, None) for name in written.players]
        return PositionAnalysis(answer, Match(written.game, nobody, seed, moves).line(answer.pv.tolist()))

    def play(self, action: Action) -> Position:
        """Play a person's action; raises as `Match.play` does."""
        text = self._match.action_text(action)
        self._match.play(action)
        return self._position(action, text)

    def advance(self, clock: ClockReading | None = None) -> tuple[Answer, Position]:
        """Let the agent to move answer and play; `clock` is what it is told of a clock kept elsewhere."""
        match = self._match
        before, played, start_s = match.state, len(match.actions), time.perf_counter()
        answer = match.advance(clock)
        took_s = time.perf_counter() - start_s if answer.spent_s is None else answer.spent_s
        if len(match.actions) == played:  # forfeited
            return answer, self._position(took_s=took_s)
        action = match.actions[-1]
        move = match.last_move(before)
        expected = [] if answer.pv is None else answer.pv.tolist()
        line = (move, *match.line(expected[1:])) if expected[:1] == [action] else ()
        return answer, self._position(action, move, took_s, line)

    def advise(self, policy: Policy, seed: int) -> PositionAnalysis:
        """Ask `policy`, which does not play here, for one move in the current position, and how it would go on."""
        if failure := begin(policy, seed):
            return PositionAnalysis(Answer(NO_ACTION, failure))
        analysis = self.consult(policy)
        if analysis.line or analysis.answer.failure or isinstance(analysis.answer.action, tuple):
            return analysis
        imagined = self._match.imagined(policy, analysis.answer.action, IMAGINED, IMAGINED_S)
        return replace(analysis, line=self._match.line(imagined))

    def consult(self, policy: Policy) -> PositionAnalysis:
        """Ask `policy`, which plays here, about the current position."""
        answer = self._match.consult(policy)
        return PositionAnalysis(answer, () if answer.pv is None else self._match.line(answer.pv.tolist()))

    def shown(self, length: int) -> bytes | None:
        """Return what the match has shown until so many actions had been played, as in `MatchRecord`."""
        return self._match.shown(length)

    def _visible_state(self) -> State:
        """Return the position as the people at the screen may see it: all of it if none of them plays."""
        match = self._match
        if not self._people or self.game.perfect_information:
            return match.state
        if match.seat in self._people:
            self._viewer = match.seat
        return match.shown_to(self._viewer)

    def _position(
        self, action: Action | None = None, move: str = "", took_s: float = 0.0, line: tuple[str, ...] = ()
    ) -> Position:
        match, state = self._match, self._visible_state()
        legal = {int(choice): match.action_text(int(choice), state) for choice in np.flatnonzero(match.legal)}
        hides = not (self._people or self.game.perfect_information)
        closed = match.picture(match.shown_to(*range(self.game.num_players))) if hides else None
        picture = match.picture(state)
        box = self.game.box_of(match.seat)
        return Position(state, picture, match.seat, legal, action, move, match.verdict, closed, took_s, line, box)


def _as_shown(written: WrittenMatch, steps: ShownSteps) -> tuple[Position, ...]:
    """Return the positions of a match as they were shown."""
    moves, verdict = named(steps, written.actions), written.verdict
    start = written.game.initial
    positions = [
        Position(
            start,
            Picture.of_text(steps.board(number), written.game.num_actions),
            seat,
            action=written.actions[number - 1] if number else None,
            move=moves[number - 1] if number else "",
        )
        for number, seat in enumerate(steps.seats)
    ]
    if verdict is not None and verdict.reason is Reason.FINISHED:
        positions[-1] = replace(positions[-1], verdict=verdict)
    elif verdict is not None:
        positions.append(replace(positions[-1], action=None, move="", verdict=verdict))
    return tuple(positions)
