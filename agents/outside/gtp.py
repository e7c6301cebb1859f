"""`gtp:COMMAND`: a go program that speaks the Go Text Protocol, version 2 (lysator.liu.se/~gunnar/gtp).

The game's rules count stones that are left on the board as alive, as on the Computer Go Server: a program that passes
before it has taken dead ones may lose all of them. Where it knows `kgs-genmove_cleanup`, which asks for a move and for
no pass before all is taken, it is asked so after the other has passed, and again where it would pass.
It may resign, which ends a match; who collects its moves elsewhere tells it not to
(`gtp:gnugo --mode gtp --never-resign`).
"""

import shlex

import numpy as np

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import START_LIMIT_S, Program, ProgramError, found_program
from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from arena.policy.protocol import RESIGN
from games.engine.game import Game

COLOURS = ("black", "white")
"""By seat."""
Play = tuple[int, str]
"""A seat and a point in notation."""


class GtpError(ProgramError):
    """A command that the program refused."""


class GtpPolicy(OutsidePolicy):
    """Lets a go program decide. One that fails is started again when it is next asked."""

    def __init__(self, game: Game, command: list[str]):
        super().__init__(game, "gtp")
        if game.name != "go":
            raise UsageError(f"gtp: programs play go, not {game.name}")
        self._command = found_program("gtp", command)
        self._program: Program | None = None
        self._played: list[Play] = []  # on the program's board
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"gtp: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Bring the program's board up to date and ask for a move."""
        program = self._program or self._start()
        try:
            if turn.is_new and "set_random_seed" in self._known:
                self._order(program, f"set_random_seed {self.seed_of(turn.game_id)}")
            self._set_up(program, self._wanted(turn))
            answer = self._move(program, COLOURS[turn.seat])
            if answer.lower() == "resign":
                return Reply(RESIGN)
            self._played.append((turn.seat, answer))
            return Reply(self._game.parse_action(turn.state, answer))
        except UsageError as error:
            self.close()
            raise ProgramError(f"{program.name} answered genmove: {error}") from None
        except ProgramError:
            self.close()
            raise

    def _move(self, program: Program, colour: str) -> str:
        """What the program plays, a pass only if it leaves no dead stones of the other on the board."""
        cleans_up = {"kgs-genmove_cleanup", "undo"} <= self._known
        passed = bool(self._played) and self._played[-1][1].lower() == "pass"
        if not (passed and cleans_up):
            answer = self._order(program, f"genmove {colour}")
            if answer.lower() != "pass" or not cleans_up:
                return answer
            self._order(program, "undo")
        return self._order(program, f"kgs-genmove_cleanup {colour}")

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close(farewell="quit")
        self._program = None

    def _start(self) -> Program:
        """Start the program, and settle what holds for all games."""
        program = Program(self._command)
        size, komi = self._game.options["size"], self._game.options["komi"]
        try:
            self._known = frozenset(self._order(program, "list_commands", START_LIMIT_S).split())
            self._order(program, f"boardsize {size}", START_LIMIT_S)
            self._order(program, "clear_board", START_LIMIT_S)
            self._order(program, f"komi {komi:g}", START_LIMIT_S)
        except ProgramError:
            program.close()
            raise
        self._played = []
        self._program = program
        return program

    def _wanted(self, turn: Turn) -> list[Play]:
        """What has to be on the program's board: the moves of the game, or the stones where moves are not told."""
        if turn.line is not None:
            return [(number % 2, text) for number, text in enumerate(turn.line.texts)]
        picture = self._game.picture(turn.state)
        return [
            (int(picture.pieces[row, column]), self._game.action_text(turn.state, int(action)))
            for (row, column), action in np.ndenumerate(picture.cell_actions)
            if picture.pieces[row, column] >= 0
        ]

    def _set_up(self, program: Program, wanted: list[Play]) -> None:
        shared = len(self._played)
        if _normal(wanted[:shared]) != _normal(self._played):
            self._order(program, "clear_board")
            self._played, shared = [], 0
        for seat, text in wanted[shared:]:
            self._order(program, f"play {COLOURS[seat]} {text}")
            self._played.append((seat, text))

    def _order(self, program: Program, command: str, seconds: float | None = None) -> str:
        """Give a command; returns what the program answers, `GtpError` if it refuses."""
        program.tell(command)
        while not (line := program.hear(seconds)).strip():
            pass  # empty lines between answers
        if line[0] not in "=?":
            raise ProgramError(f"{program.name} said {line[:100]!r} to {command!r}; answers begin with = or ?")
        answer = [line]
        while (line := program.hear(seconds)).strip():
            answer.append(line)
        said = "\n".join([answer[0][1:].strip(), *answer[1:]]).strip()
        if answer[0][0] == "?":
            raise GtpError(f"{program.name} refused {command!r}: {said[:200]}")
        return said


def _normal(plays: list[Play]) -> list[Play]:
    return [(seat, text.upper()) for seat, text in plays]


def make(game: Game, argument: str) -> GtpPolicy:
    """Start a go program; the argument is its command line, read as a shell would, without one."""
    try:
        command = shlex.split(argument)
    except ValueError as error:
        raise UsageError(f"gtp:{argument}: {error}") from None
    return GtpPolicy(game, command)


AGENT = AgentKind(summary="a go program, as gtp:gnugo --mode gtp", make=make, argument="COMMAND")
