"""`piskvork:COMMAND`: a gomoku program that speaks Gomocup's protocol (plastovicka.github.io/protocl2en.htm).

Columns and rows count from 0. Under a clock the program is told its time; without, it has a second for each move.
"""

import re

import numpy as np

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import ANSWER_LIMIT_S, START_LIMIT_S, Program, ProgramError, resolve_command, split_command
from arena.base.errors import UsageError
from arena.policy.clock import ClockReading
from games.engine.game import Game

USUAL_MS = 1000
"""Milliseconds for a move without a clock."""
ENDLESS_MS = 2**31 - 1
"""What the protocol says where the time of a game is not limited."""
EXACTLY_FIVE = 1
"""The protocol's number of the rule by which six in a row do not win."""
REMARKS = ("MESSAGE", "DEBUG")
POINT = re.compile(r"([0-9]{1,2}),([0-9]{1,2})")


class PiskvorkPolicy(OutsidePolicy):
    """Plays the moves of a program. A program that fails is restarted at the next move."""

    def __init__(self, game: Game, command: list[str]):
        super().__init__(game, "piskvork")
        if game.name != "gomoku":
            raise UsageError(f"piskvork: programs play gomoku, not {game.name}")
        self._command = resolve_command("piskvork", command)
        self._size = int(game.options["size"])
        self._program: Program | None = None
        self._stones: list[int] | None = None  # actions on the program's board; None if that is to be set up
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"piskvork: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Tell the program its clock and what was played, and return its move."""
        program = self._program or self._start()
        try:
            self._tell_clock(program, turn.clock)
            self._ask(program, turn)
            action = self._move(program, turn.limit_s(ANSWER_LIMIT_S))
        except ProgramError:
            self.close()
            raise
        if self._stones is not None:
            self._stones.append(action)
        return Reply(action)

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close(farewell="END")
        self._program = None

    def _start(self) -> Program:
        program = Program(self._command)
        try:
            self._order(program, f"START {self._size}")
            program.send_line(f"INFO rule {0 if self._game.options['overline'] else EXACTLY_FIVE}")
        except ProgramError:
            program.close()
            raise
        self._program, self._stones = program, []
        return program

    def _order(self, program: Program, line: str) -> None:
        """Send a command whose answer is OK."""
        program.send_line(line)
        answer = self._listen(program, START_LIMIT_S)
        if not answer.upper().startswith("OK"):
            raise ProgramError(f"{program.name} answered {answer[:100]!r} to {line}, not OK")

    def _listen(self, program: Program, seconds: float) -> str:
        """Return the next line that is no remark."""
        while True:
            line = program.read_line(seconds).strip()
            if line and not line.upper().startswith(REMARKS):
                return line

    def _tell_clock(self, program: Program, clock: ClockReading | None) -> None:
        left_ms, turn_ms = ENDLESS_MS, USUAL_MS
        if clock is not None and clock.seconds_left is not None:
            turn_ms = max(int(1000 * clock.seconds_left), 1)
            if clock.game_seconds_left is not None:
                left_ms = max(int(1000 * clock.game_seconds_left), 1)
        program.send_line(f"INFO timeout_turn {turn_ms}")
        program.send_line(f"INFO timeout_match {0 if left_ms == ENDLESS_MS else left_ms}")
        program.send_line(f"INFO time_left {left_ms}")

    def _ask(self, program: Program, turn: Turn) -> None:
        """Have the program think about the position of a turn: after one more stone of the other, or set up anew."""
        moves = None if turn.replay is None else list(turn.replay.moves)
        if moves is not None and moves and self._stones == moves[:-1] and self._stones:
            program.send_line(f"TURN {self._point(moves[-1])}")
        else:
            if self._stones != []:
                self._order(program, "RESTART")
            stones = self._colours(turn, moves)
            if not stones:
                program.send_line("BEGIN")
            else:
                program.send_line("BOARD")
                for action, seat in stones:
                    program.send_line(f"{self._point(action)},{1 if seat == turn.seat else 2}")
                program.send_line("DONE")
        self._stones = moves

    def _colours(self, turn: Turn, moves: list[int] | None) -> list[tuple[int, int]]:
        """Return the stones on the board, each with its seat: in order of play, where that is known."""
        if moves is not None:
            return [(action, number % 2) for number, action in enumerate(moves)]
        pieces = self._game.picture(turn.state).pieces.reshape(-1)
        return [(int(cell), int(pieces[cell])) for cell in np.flatnonzero(pieces >= 0)]

    def _move(self, program: Program, seconds: float) -> int:
        answer = self._listen(program, seconds)
        if answer.upper().startswith("SUGGEST"):
            program.send_line(f"PLAY {answer.split(maxsplit=1)[-1]}")
            answer = self._listen(program, seconds)
        point = POINT.fullmatch(answer.replace(" ", ""))
        if point is None or not all(int(number) < self._size for number in point.groups()):
            raise ProgramError(f"{program.name} answered {answer[:100]!r}, which is no point of the board")
        return int(point[2]) * self._size + int(point[1])

    def _point(self, action: int) -> str:
        return f"{action % self._size},{action // self._size}"


def make(game: Game, argument: str) -> PiskvorkPolicy:
    """Start a program; the argument is its command line, split as a shell would, without running one."""
    return PiskvorkPolicy(game, split_command("piskvork", argument))
