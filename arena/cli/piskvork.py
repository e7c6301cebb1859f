"""`arena piskvork`: an agent as a gomoku program, for managers that speak Gomocup's protocol."""

import re
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

import tyro

import arena
from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.match.match import Match
from arena.match.warm_up import warm_up_server
from arena.policy.clock import ClockReading
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from games.engine.actions import numbered
from games.engine.game import Game

POINT = re.compile(r"([0-9]{1,2})\s*,\s*([0-9]{1,2})")
STONE = re.compile(r"([0-9]{1,2})\s*,\s*([0-9]{1,2})\s*,\s*([123])")
OWN = "1"
AT_ONCE_S = 0.01
"""Time for a move where the manager asks for one as soon as possible."""
EXACTLY_FIVE, CONTINUOUS, RENJU = 1, 2, 4
"""Bits of the protocol's rule."""


@dataclass(frozen=True)
class Options:
    """Serve an agent for gomoku on standard input and output, in the protocol of Gomocup and Piskvork.

    The manager says the size of the board (5 to 20), the rule (freestyle or exactly five) and the time; searches manage
    their time by it.
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Agent that plays: mcts, alphabeta, ppo:runs/gomoku."""
    seed: int = 0
    """Random seed; the same seed and commands give the same moves."""


def run(options: Options) -> int:
    """Serve until END or the end of input; return the exit status."""
    require_at_least(0, seed=options.seed)
    with closing(PiskvorkServer(options.agent, options.seed)) as server:
        for line in sys.stdin:
            for answer in server.obey(line):
                print(answer, flush=True)
            if server.has_ended:
                break
    return 0


class PiskvorkRefusal(Exception):
    """Raised for a command that cannot be carried out."""


class PiskvorkServer:
    """A gomoku program: the stones on the board, and the agent that answers them."""

    def __init__(self, spec: str, seed: int):
        self.has_ended = False
        self._spec, self._seed, self._games = spec, seed, 0
        self._game: Game = make_game("gomoku")
        self._agent: Policy = make_agent(spec, self._game)
        self._is_warm = self._is_started = False
        self._moves: list[int] = []
        self._match: Match | None = None
        self._stones: list[tuple[int, bool]] | None = None  # those of a BOARD that is being told: action, and if own
        self._limits = {"timeout_turn": 0, "timeout_match": 0, "time_left": 0}
        self._knows_time = False
        self._commands: dict[str, Callable[[str], str]] = {
            "START": self._start,
            "RECTSTART": self._rect_start,
            "RESTART": lambda words: self._restart(),
            "BEGIN": lambda words: self._think(),
            "TURN": self._turn,
            "TAKEBACK": self._take_back,
        }

    def close(self) -> None:
        """Close the agent."""
        self._agent.close()

    def obey(self, line: str) -> list[str]:
        """Return the answers to a line, none for one that has none."""
        text = line.strip()
        try:
            if self._stones is not None:
                return self._add_stone(text)
            command, _, words = text.partition(" ")
            return self._carry_out(command.upper(), words.strip())
        except (PiskvorkRefusal, UsageError) as refusal:
            self._stones = None
            return [f"ERROR {refusal}"]

    def _carry_out(self, command: str, words: str) -> list[str]:
        if command in self._commands:
            return [self._commands[command](words)]
        if command == "END":
            self.has_ended = True
        elif command == "BOARD":
            self._restart()
            self._stones = []
        elif command == "INFO":
            self._info(words)
        elif command == "ABOUT":
            return [f'name="Arena {self._spec}", version="{arena.__version__}", author="the authors of Arena"']
        elif command:
            return [f"UNKNOWN {command[:40]}"]
        return []

    def _start(self, words: str) -> str:
        if not re.fullmatch("[0-9]{1,3}", words):
            raise PiskvorkRefusal("START needs the size of the board")
        self._use(size=int(words))
        self._is_started = True
        return self._restart()

    def _rect_start(self, words: str) -> str:
        sides = words.replace(",", " ").split()
        if len(sides) != 2 or sides[0] != sides[1]:
            raise PiskvorkRefusal("only square boards are played")
        return self._start(sides[0])

    def _use(self, **options: int | bool) -> None:
        """Play by other options of the game; the agent is made anew where they differ."""
        wanted = {**self._game.options, **options}
        if wanted != self._game.options:
            game = make_game("gomoku", **wanted)
            agent = make_agent(self._spec, game)
            self._agent.close()
            self._game, self._agent, self._is_warm = game, agent, False

    def _restart(self) -> str:
        if not self._is_started:
            raise PiskvorkRefusal("START comes first")
        if not self._is_warm:
            warm_up_server(self._game, self._agent)
            self._is_warm = True
        self._games += 1
        self._set_up([])
        return "OK"

    def _set_up(self, moves: list[int]) -> None:
        seed = spawn_seeds(self._seed, self._games, count=1)[0]
        self._match = Match(self._game, [(self._spec, self._agent)] * 2, seed, moves)
        self._moves = moves

    def _info(self, words: str) -> None:
        key, _, value = words.partition(" ")
        if not re.fullmatch("-?[0-9]{1,12}", value.strip()):
            return  # evaluate, folder and so on
        number = int(value)
        if key in self._limits:
            self._limits[key], self._knows_time = number, True
        elif key == "rule" and not number & (CONTINUOUS | RENJU):
            self._use(overline=not number & EXACTLY_FIVE)
            if self._is_started:
                self._restart()

    def _turn(self, words: str) -> str:
        self._open_match().play(self._action(POINT, words))
        self._moves = [numbered(action) for action in self._open_match().actions]
        return self._think()

    def _take_back(self, words: str) -> str:
        if not self._moves or self._moves[-1] != self._action(POINT, words):
            raise PiskvorkRefusal(f"{words} is not the last stone")
        self._set_up(self._moves[:-1])
        return "OK"

    def _add_stone(self, text: str) -> list[str]:
        """Take a line of a BOARD; at DONE, set the board up and think."""
        assert self._stones is not None
        if text.upper() != "DONE":
            self._stones.append((self._action(STONE, text), text.rstrip().endswith(OWN)))
            return []
        stones, self._stones = self._stones, None
        own = [action for action, is_own in stones if is_own]
        other = [action for action, is_own in stones if not is_own]
        if len(other) - len(own) not in (0, 1):
            raise PiskvorkRefusal(f"it is not our turn with {len(own)} own stones and {len(other)} others")
        first, second = (own, other) if len(own) == len(other) else (other, own)
        moves = [action for pair in zip(first, [*second, -1], strict=False) for action in pair if action >= 0]
        self._set_up(moves)
        return [self._think()]

    def _think(self) -> str:
        match = self._open_match()
        began = time.monotonic()
        match.advance(self._clock(len(match.actions) // 2))
        self._limits["time_left"] -= round(1000 * (time.monotonic() - began))
        verdict = match.verdict
        if verdict is not None and verdict.offender is not None:
            raise PiskvorkRefusal(f"{self._spec} makes no move: {verdict.reason}, {verdict.detail}")
        self._moves = [numbered(action) for action in match.actions]
        row, column = divmod(self._moves[-1], self._size)
        return f"{column},{row}"

    def _clock(self, played: int) -> ClockReading | None:
        if not self._knows_time:
            return None
        turn_s = self._limits["timeout_turn"] / 1000 or AT_ONCE_S
        left_s = max(self._limits["time_left"] / 1000, AT_ONCE_S) if self._limits["timeout_match"] > 0 else None
        return ClockReading(min(turn_s, left_s or turn_s), left_s, moves_played=played)

    def _open_match(self) -> Match:
        if self._match is None or self._match.over:
            raise PiskvorkRefusal("the game is over" if self._match is not None else "START comes first")
        return self._match

    @property
    def _size(self) -> int:
        return int(self._game.options["size"])

    def _action(self, pattern: re.Pattern[str], text: str) -> int:
        point = pattern.fullmatch(text.strip())
        if point is None or not max(int(point[1]), int(point[2])) < self._size:
            raise PiskvorkRefusal(f"{text[:40]!r} is no point of a board of {self._size} x {self._size}")
        return int(point[2]) * self._size + int(point[1])
