"""`arena uci`: one of our agents as a chess engine, for any program that speaks the Universal Chess Interface."""

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
from arena.errors import IllegalActionError, UsageError
from arena.match.match import Match
from arena.policy.protocol import Policy
from arena.registry import make_agent, make_game
from arena.seeding import spawn_seeds
from games.engine.game import TERMINAL, Game, State

WITHOUT_MOVE = "bestmove 0000"
"""What is answered where the agent fails: UCI knows no other way to say so."""
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Options:
    """Serve an agent as a UCI chess engine on standard input and output, for a chess program to run.

    The agent thinks as long as its spec says; time controls do not change that. `stop` and `go infinite` only decide
    when its move is told.
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Who plays: random, alphabeta:3, ppo:runs/chess."""
    seed: int = 0
    """The same seed and the same commands give the same moves."""


def run(options: Options) -> int:
    """Serve until `quit` or the end of input; returns the exit status."""
    game = make_game("chess")
    if not 0 <= options.seed <= LARGEST_SEED:
        raise UsageError(f"--seed {options.seed} is not between 0 and {LARGEST_SEED}")
    with closing(make_agent(options.agent, game)) as agent:
        engine = Engine(game, options.agent, agent, options.seed)
        for line in sys.stdin:
            if not engine.obey(line):
                return 0  # without waiting for a move that nobody wants any more
        engine.stop()
    return 0


class Engine:
    """What a chess program has told the engine so far; answers go to standard output."""

    def __init__(self, game: Game, name: str, agent: Policy, seed: int):
        self._game, self._name, self._agent, self._seed = game, name, agent, seed
        assert game.position_text is not None
        assert game.parse_position is not None
        self._text: Callable[[State], str] = game.position_text
        self._parse: Callable[[str], State] = game.parse_position
        self._start = self._text(game.initial)
        self._begin = self._start
        self._games = 0  # so far: each has a seed of its own
        self._moves: list[str] = []  # that were told, and the agent's own after them
        self._match: Match | None = None
        self._thread: threading.Thread | None = None
        self._may_tell = threading.Event()  # the agent's move may be told

    def obey(self, line: str) -> bool:
        """Carry out a command; returns whether to go on. What is not known is passed over, as UCI asks."""
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
            self._may_tell.set()
        elif command in ("ucinewgame", "position", "setoption", "go"):
            self.stop()
            obey = {"ucinewgame": self._forget, "position": self._position, "setoption": self._set, "go": self._go}
            try:
                obey[command](words)
            except UsageError as error:
                _say(f"info string {error}")
        return True

    def stop(self) -> None:
        """Have the agent's move told as soon as it is known, and wait for it."""
        self._may_tell.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _forget(self, words: list[str]) -> None:
        """Obey `ucinewgame`."""
        self._match, self._begin, self._moves = None, self._start, []

    def _set(self, words: list[str]) -> None:
        """Obey `setoption name Seed value N`."""
        name, _, value = " ".join(words).partition(" value ")
        if name.lower() != "name seed":
            raise UsageError(f"there is no option {name.removeprefix('name ')!r}; known: Seed")
        if not (value.isascii() and value.isdecimal() and int(value) <= LARGEST_SEED):
            raise UsageError(f"Seed {value!r} is not a number from 0 to {LARGEST_SEED}")
        self._seed, self._games, self._match = int(value), 0, None

    def _position(self, words: list[str]) -> None:
        """Obey `position startpos | fen FEN [moves ...]`; goes on with the game in play where it can."""
        split = words.index("moves") if "moves" in words else len(words)
        where, moves = words[:split], words[split + 1 :]
        if where not in (["startpos"],) and where[:1] != ["fen"]:
            raise UsageError(f"position {' '.join(where)}: it begins with startpos or fen")
        begin = self._start if where == ["startpos"] else " ".join(where[1:])
        known = len(self._moves)
        if self._match is None or begin != self._begin or moves[:known] != self._moves:
            self._match, known = self._seated(begin), 0
        self._begin, self._moves = begin, moves[:known]
        try:
            for move in moves[known:]:
                self._play_on(move)
        except UsageError:
            self._match = None
            raise

    def _seated(self, fen: str) -> Match:
        """A match from a position on, in which the agent holds both seats."""
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
        """The match in play; where a draw has ended it that people have to claim, one from this position on."""
        match = self._match or self._seated(self._begin)
        if match.over:
            fields = self._text(match.state).split()
            match = self._seated(" ".join([*fields[:4], "0", fields[5]]))
        self._match = match
        return match

    def _is_over(self, match: Match) -> bool:
        """Whether nobody can move: mate, stalemate, or nothing left to mate with."""
        return match.over or bool(match.state["current_player"] == TERMINAL)

    def _go(self, words: list[str]) -> None:
        """Think in a thread of its own, so that commands are heard meanwhile."""
        self._may_tell.clear()
        if "infinite" not in words and "ponder" not in words:
            self._may_tell.set()
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
            self._tell(WITHOUT_MOVE)
            return
        move = by_squares(self._game, before, match.actions[-1])
        self._moves.append(move)
        if answer.value is not None:
            _say(f"info depth 1 score cp {centipawns(answer.value)} pv {move}")
        self._tell(f"bestmove {move}")

    def _tell(self, line: str) -> None:
        self._may_tell.wait()
        _say(line)


def by_squares(game: Game, state: State, action: int) -> str:
    """A legal move as UCI writes it: the squares that it leads from and to, and the letter of a promotion."""
    picture = game.picture(state)
    assert picture.action_origins is not None
    cells = (picture.action_origins[action], picture.action_cells[action])
    squares = "".join(picture.column_labels[column] + picture.row_labels[row] for row, column in cells)
    promotion = re.search("=([QRBN])", game.action_text(state, action))
    return squares + (promotion[1].lower() if promotion else "")


def centipawns(value: float) -> int:
    """An expected return between -1 and 1 as hundredths of a pawn: Leela Chess Zero's formula of 2018.

    >>> centipawns(0.0), centipawns(0.5), centipawns(-1.0)
    (0, 111, -12800)
    """
    return round(max(-12800.0, min(12800.0, 111.714640912 * math.tan(1.5620688421 * max(-1.0, min(1.0, value))))))


def _say(line: str) -> None:
    print(line, flush=True)
