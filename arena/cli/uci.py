"""`arena uci`: an agent as a chess engine, for any program that speaks the Universal Chess Interface."""

import math
import re
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated

import tyro

import arena
from arena.base.checks import require_between
from arena.base.errors import IllegalActionError, UsageError
from arena.base.seeding import spawn_seeds
from arena.match.match import Match
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from games.engine.actions import numbered
from games.engine.game import TERMINAL, Game, State

NULL_MOVE = "bestmove 0000"
"""Answer if the agent fails; UCI has no other way to report it."""
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Options:
    """Serve an agent as a UCI chess engine on standard input and output, for a chess program to run.

    The agent's spec sets its thinking time; time controls are ignored. `stop` and `go infinite` only decide when its
    move is sent.
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Agent that plays: random, alphabeta:3, ppo:runs/chess."""
    seed: int = 0
    """Random seed; the same seed and commands give the same moves."""


def run(options: Options) -> int:
    """Serve until `quit` or the end of input; return the exit status."""
    game = make_game("chess")
    require_between(0, LARGEST_SEED, seed=options.seed)
    with closing(make_agent(options.agent, game)) as agent:
        engine = UciServer(game, options.agent, agent, options.seed)
        for line in sys.stdin:
            if not engine.obey(line):
                return 0  # without waiting for the current search
        engine.stop()
    return 0


class UciServer:
    """A UCI engine: the position and moves that it was sent, and the agent; answers go to standard output."""

    def __init__(self, game: Game, name: str, agent: Policy, seed: int):
        self._game, self._name, self._agent, self._seed = game, name, agent, seed
        assert game.position_text is not None
        assert game.parse_position is not None
        self._text: Callable[[State], str] = game.position_text
        self._parse: Callable[[str], State] = game.parse_position
        self._start = self._text(game.initial)
        self._position_text = self._start
        self._games = 0  # number of games so far; each has a seed of its own
        self._moves: list[str] = []  # moves received, followed by the agent's own
        self._match: Match | None = None
        self._thread: threading.Thread | None = None
        self._may_answer = threading.Event()  # set when the agent's move may be sent

    def obey(self, line: str) -> bool:
        """Carry out a command; return False after `quit`. Unknown commands are ignored, as UCI requires."""
        command, *words = line.split() or [""]
        if command == "quit":
            return False
        if command == "uci":
            _say(f"id name Arena {arena.__version__} {self._name}")
            _say("id author the authors of Arena")
            _say(f"option name Seed type spin default {self._seed} min 0 max {LARGEST_SEED}")
            _say("uciok")
        elif command == "isready":
            _say("readyok")
        elif command in ("stop", "ponderhit"):
            self._may_answer.set()
        elif command in ("ucinewgame", "position", "setoption", "go"):
            self.stop()
            obey = {"ucinewgame": self._forget, "position": self._position, "setoption": self._set, "go": self._go}
            try:
                obey[command](words)
            except UsageError as error:
                _say(f"info string {error}")
        return True

    def stop(self) -> None:
        """Send the agent's move as soon as it is known, and wait for that."""
        self._may_answer.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _forget(self, words: list[str]) -> None:
        """Obey `ucinewgame`."""
        self._match, self._position_text, self._moves = None, self._start, []

    def _set(self, words: list[str]) -> None:
        """Obey `setoption name Seed value N`."""
        name, _, value = " ".join(words).partition(" value ")
        if name.lower() != "name seed":
            raise UsageError(f"there is no option {name.removeprefix('name ')!r}; known: Seed")
        if not (value.isascii() and value.isdecimal() and int(value) <= LARGEST_SEED):
            raise UsageError(f"Seed {value!r} is not a number from 0 to {LARGEST_SEED}")
        self._seed, self._games, self._match = int(value), 0, None

    def _position(self, words: list[str]) -> None:
        """Obey `position startpos | fen FEN [moves ...]`; continue the current game if it is a prefix of this one."""
        split = words.index("moves") if "moves" in words else len(words)
        where, moves = words[:split], words[split + 1 :]
        if where not in (["startpos"],) and where[:1] != ["fen"]:
            raise UsageError(f"position {' '.join(where)}: expected startpos or fen")
        begin = self._start if where == ["startpos"] else " ".join(where[1:])
        known = len(self._moves)
        if self._match is None or begin != self._position_text or moves[:known] != self._moves:
            self._match, known = self._new_match(begin), 0
        self._position_text, self._moves = begin, moves[:known]
        try:
            for move in moves[known:]:
                self._play_on(move)
        except UsageError:
            self._match = None
            raise

    def _new_match(self, fen: str) -> Match:
        """Return a match from a position, with the agent in both seats."""
        game = self._game if fen == self._start else replace(self._game, initial=self._parse(fen))
        self._games += 1
        return Match(game, [(self._name, self._agent)] * 2, spawn_seeds(self._seed, self._games, count=1)[0])

    def _play_on(self, move: str) -> None:
        match = self._open_match()
        if self._is_over(match):
            raise UsageError(f"{move} is played after the end of the game")
        try:
            match.play(self._game.parse_action(match.state, move))
        except IllegalActionError:
            raise UsageError(f"{move} is illegal after {' '.join(self._moves) or 'no move'}") from None
        self._moves.append(move)

    def _open_match(self) -> Match:
        """Return the current match; if a draw that players must claim has ended it, a new one from its position."""
        match = self._match or self._new_match(self._position_text)
        if match.over:
            fields = self._text(match.state).split()
            match = self._new_match(" ".join([*fields[:4], "0", fields[5]]))
        self._match = match
        return match

    def _is_over(self, match: Match) -> bool:
        """Return whether the game is really over: mate, stalemate, or insufficient material."""
        return match.over or bool(match.state["current_player"] == TERMINAL)

    def _go(self, words: list[str]) -> None:
        """Think in a separate thread, so that commands are read meanwhile."""
        self._may_answer.clear()
        if "infinite" not in words and "ponder" not in words:
            self._may_answer.set()
        self._thread = threading.Thread(target=self._think, args=(self._open_match(),), daemon=True)
        self._thread.start()

    def _think(self, match: Match) -> None:
        if self._is_over(match):
            self._tell("bestmove (none)")
            return
        before = match.state
        answer = match.advance()
        if match.verdict is not None and match.verdict.offender is not None:
            self._match = None
            _say(f"info string {self._name} makes no move: {match.verdict.reason}, {match.verdict.detail}")
            self._tell(NULL_MOVE)
            return
        move = by_squares(self._game, before, numbered(match.actions[-1]))
        self._moves.append(move)
        if answer.value is not None:
            _say(f"info depth 1 score cp {centipawns(answer.value)} pv {move}")
        self._tell(f"bestmove {move}")

    def _tell(self, line: str) -> None:
        self._may_answer.wait()
        _say(line)


def by_squares(game: Game, state: State, action: int) -> str:
    """Return a legal move in UCI notation: its source and target squares, and the letter of a promotion."""
    picture = game.picture(state)
    assert picture.action_origins is not None
    cells = (picture.action_origins[action], picture.action_cells[action])
    squares = "".join(picture.column_labels[column] + picture.row_labels[row] for row, column in cells)
    promotion = re.search("=([QRBN])", game.action_text(state, action))
    return squares + (promotion[1].lower() if promotion else "")


def centipawns(value: float) -> int:
    """Return an expected return, -1 to 1, as hundredths of a pawn, by Leela Chess Zero's formula of 2018.

    >>> centipawns(0.0), centipawns(0.5), centipawns(-1.0)
    (0, 111, -12800)
    """
    return round(max(-12800.0, min(12800.0, 111.714640912 * math.tan(1.5620688421 * max(-1.0, min(1.0, value))))))


def _say(line: str) -> None:
    print(line, flush=True)
