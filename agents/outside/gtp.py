"""`gtp:COMMAND`: a program for go, hex, othello or gomoku that speaks the Go Text Protocol, version 2.

The protocol is that of lysator.liu.se/~gunnar/gtp, the moves those of `arena.policy.gtp_notation`.

In go the game's rules count all stones left on the board as alive, as on the Computer Go Server, so that a program that
passes before it has captured dead stones may lose them. A program that supports `kgs-genmove_cleanup`, which does not
pass before all dead stones are captured, is asked for moves with it after the opponent has passed and when it wants to
pass itself. A program may resign, which ends a match; some have an option against it
(`gtp:gnugo --mode gtp --never-resign`).

A program that supports `lz-genmove_analyze`, as Leela Zero and KataGo do, is asked for moves with it, and the win rate
of its move is the `value` of the answer, and the line that it expects the `pv`.
"""

import contextlib
from collections.abc import Sequence

import numpy as np

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import ANSWER_LIMIT_S, START_LIMIT_S, Program, ProgramError, resolve_command, split_command
from arena.base.errors import UsageError
from arena.policy.gtp_analysis import ANALYSE, INTERVAL, GtpAnswer, read_analysis
from arena.policy.gtp_notation import COLOURS, gtp_notation
from arena.policy.protocol import RESIGN
from games.engine.game import Game

Play = tuple[int, str]
"""A seat and a point in GTP notation."""


class GtpError(ProgramError):
    """Raised for a command that the program refused."""


class GtpPolicy(OutsidePolicy):
    """Plays the moves of a program. A program that fails is restarted at the next move."""

    def __init__(self, game: Game, command: list[str]):
        super().__init__(game, "gtp")
        self._notation = gtp_notation(game.name, "gtp")
        self._is_go = game.name == "go"
        self._command = resolve_command("gtp", command)
        self._program: Program | None = None
        self._played: list[Play] = []  # on the program's board
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"gtp: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Update the program's board and ask for a move."""
        program = self._program or self._start()
        try:
            if turn.is_new and "set_random_seed" in self._supported:
                self._send_command(program, f"set_random_seed {self.seed_of(turn.game_id)}")
            self._set_up(program, self._required_plays(turn))
            self._tell_clock(program, turn)
            answer, value, line = self._move(program, COLOURS[turn.seat], turn.limit_s(ANSWER_LIMIT_S))
            if answer.lower() == "resign":
                return Reply(RESIGN, value=value)
            self._played.append((turn.seat, answer))
            action = self._game.parse_action(turn.state, self._notation.read(answer))
            return Reply(action, value=value, line=self._read_line(turn, action, line))
        except UsageError as error:
            self.close()
            raise ProgramError(f"{program.name} answered genmove: {error}") from None
        except ProgramError:
            self.close()
            raise

    def _tell_clock(self, program: Program, turn: Turn) -> None:
        """Send the time settings at the start of a game, and before each move the time that is left, in whole seconds.

        GTP knows a main time and then a period of moves (Canadian byo-yomi). A limit for each move is a period of one
        move; an increment is told by `time_left` alone, once it is there.
        """
        clock = turn.clock
        if clock is None or clock.seconds_left is None:
            return
        per_move = clock.game_seconds_left is None
        stones = 1 if per_move else clock.moves_to_go or 0
        if turn.is_new and "time_settings" in self._supported:
            main, period = (0, clock.seconds_left) if stones else (clock.seconds_left, 0)
            self._send_command(program, f"time_settings {int(main)} {max(int(period), 1 if stones else 0)} {stones}")
        if "time_left" in self._supported:
            colour, left = COLOURS[turn.seat], clock.seconds_left
            self._send_command(program, f"time_left {colour} {max(int(left), 1)} {stones}")

    def _read_line(self, turn: Turn, action: int, line: Sequence[str]) -> tuple[int, ...]:
        """Return the actions of a line that the program expects; empty if it does not begin with its action."""
        texts = []
        with contextlib.suppress(UsageError):  # of a point that is none
            for point in line:
                texts.append(self._notation.read(point))
        return turn.read_line(texts, action) if len(line) > 1 else ()

    def _move(self, program: Program, colour: str, seconds: float) -> GtpAnswer:
        """Return the program's move, in go a pass only if no dead stones of the opponent are left."""
        cleans_up = self._is_go and {"kgs-genmove_cleanup", "undo"} <= self._supported
        passed = bool(self._played) and self._played[-1][1].lower() == "pass"
        if not (passed and cleans_up):
            analysis = self._genmove(program, colour, seconds)
            if analysis.move.lower() != "pass" or not cleans_up:
                return analysis
            self._send_command(program, "undo")
        return GtpAnswer(self._send_command(program, f"kgs-genmove_cleanup {colour}", seconds), None, ())

    def _genmove(self, program: Program, colour: str, seconds: float) -> GtpAnswer:
        """Return the program's move, and what it says of it."""
        if ANALYSE not in self._supported:
            return GtpAnswer(self._send_command(program, f"genmove {colour}", seconds), None, ())
        return read_analysis(self._send_command(program, f"{ANALYSE} {colour} {INTERVAL}", seconds))

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close(farewell="quit")
        self._program = None

    def _start(self) -> Program:
        """Start the program and configure what is constant in all games."""
        program = Program(self._command)
        options = self._game.options
        try:
            self._supported = frozenset(self._send_command(program, "list_commands", START_LIMIT_S).split())
            self._send_command(program, f"boardsize {options['size']}", START_LIMIT_S)
            self._send_command(program, "clear_board", START_LIMIT_S)
            if self._is_go:
                self._send_command(program, f"komi {options['komi']:g}", START_LIMIT_S)
            if "swap" in options and "param_game" in self._supported:  # MoHex and its kin
                self._send_command(program, f"param_game allow_swap {int(bool(options['swap']))}", START_LIMIT_S)
        except ProgramError:
            program.close()
            raise
        self._played = []
        self._program = program
        return program

    def _required_plays(self, turn: Turn) -> list[Play]:
        """Return the plays that set up the program's board: the moves of the game or, if unknown in go, its stones."""
        if turn.replay is not None:
            return [(number % 2, self._notation.written(text)) for number, text in enumerate(turn.replay.texts)]
        if not self._is_go:
            raise ProgramError("gtp: a position whose moves are unknown can be set up in go alone")
        picture = self._game.picture(turn.state)
        return [
            (int(picture.pieces[row, column]), self._game.action_text(turn.state, int(action)))
            for (row, column), action in np.ndenumerate(picture.cell_actions)
            if picture.pieces[row, column] >= 0
        ]

    def _set_up(self, program: Program, required: list[Play]) -> None:
        shared = len(self._played)
        if _normal(required[:shared]) != _normal(self._played):
            self._send_command(program, "clear_board")
            self._played, shared = [], 0
        for seat, text in required[shared:]:
            self._send_command(program, f"play {COLOURS[seat]} {text}")
            self._played.append((seat, text))

    def _send_command(self, program: Program, command: str, seconds: float = ANSWER_LIMIT_S) -> str:
        """Send a command and return its response; raise `GtpError` if the program refuses it."""
        program.send_line(command)
        while not (line := program.read_line(seconds)).strip():
            pass  # empty lines between answers
        if line[0] not in "=?":
            raise ProgramError(f"{program.name} said {line[:100]!r} to {command!r}; answers begin with = or ?")
        answer = [line]
        while (line := program.read_line(seconds)).strip():
            answer.append(line)
        response = "\n".join([answer[0][1:].strip(), *answer[1:]]).strip()
        if answer[0][0] == "?":
            raise GtpError(f"{program.name} refused {command!r}: {response[:200]}")
        return response


def _normal(plays: list[Play]) -> list[Play]:
    return [(seat, text.upper()) for seat, text in plays]


def make(game: Game, argument: str) -> GtpPolicy:
    """Start a program; the argument is its command line, split as a shell would, without running one."""
    return GtpPolicy(game, split_command("gtp", argument))
