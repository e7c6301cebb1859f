"""`arena gtp`: an agent as an engine for go, hex, othello or gomoku, for programs that speak the Go Text Protocol."""

import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, TypeVar

import tyro

import arena
from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.cli.gtp_clock import GtpClocks
from arena.match.ask import Answer
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.match.warm_up import warm_up_server
from arena.policy.gtp_analysis import ANALYSE, written_analysis
from arena.policy.gtp_notation import COLOURS, gtp_notation
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from games.engine.actions import numbered
from games.engine.game import Game

T = TypeVar("T", int, float)
SEATS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""Seats by the protocol's names of colours, in lower case."""


@dataclass(frozen=True)
class Options:
    """Serve an agent for go, hex, othello or gomoku on standard input and output, in the Go Text Protocol, version 2.

    The agent is told its clock, by which searches manage their time; one whose spec sets its own effort (`mcts:400`)
    keeps it, within its clock. Scores of go are by area, and all stones left on the board count as alive. Moves are
    those of MoHex in hex (`swap-pieces`), of Edax in othello, and the points of go in gomoku.
    `lz-genmove_analyze` moves as well, and says what the agent expects.
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Agent that plays: random, alphabeta:2, ppo:runs/go9."""
    game: Annotated[str, tyro.conf.arg(metavar="GAME")] = "go"
    """Game and rules, with the initial size: go:size=9,komi=7,ko=simple, hex, othello, gomoku:size=19."""
    seed: int = 0
    """Random seed; the same seed and commands give the same moves."""


def run(options: Options) -> int:
    """Serve until `quit` or the end of input; return the exit status."""
    game = make_game(options.game)
    gtp_notation(game.name, f"--game {options.game}")
    require_at_least(0, seed=options.seed)
    with closing(GtpServer(game, options.agent, options.seed)) as program:
        for line in sys.stdin:
            reply = program.obey(line)
            if reply is not None:
                print(reply, end="\n\n", flush=True)
            if program.has_quit:
                break
    return 0


class GtpRefusal(Exception):
    """Raised for a command that cannot be carried out; the message is in the protocol's words."""


class GtpServer:
    """An engine: the game between commands, and the agent that plays both colours."""

    def __init__(self, game: Game, spec: str, seed: int):
        self.has_quit = False
        self._game, self._spec, self._seed = game, spec, seed
        self._notation = gtp_notation(game.name, "gtp")
        self._is_go = game.name == "go"
        self._agent: Policy = make_agent(spec, game)
        self._games = 0  # number of games so far; each has a seed of its own
        self._clocks = GtpClocks()
        self._is_warm = False
        self._match = self._new_match()
        self._plays: list[tuple[int, int]] = []  # seat and action of each move, without passes that were filled in
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: f"Arena {self._spec}",
            "version": lambda words: arena.__version__,
            "known_command": lambda words: "true" if words and words[0] in self._commands else "false",
            "list_commands": lambda words: "\n".join(self._commands),
            "boardsize": self._board_size,
            "clear_board": self._clear,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            ANALYSE: self._genmove_analyse,
            "undo": self._undo,
            "showboard": lambda words: "\n" + self._game.picture(self._match.state).text(ascii_only=True),
            "final_score": self._final_score,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "set_random_seed": self._set_seed,
            "list_games": lambda words: self._game.title,
            "set_game": self._set_game,
            "quit": self._quit,
        }

    def obey(self, line: str) -> str | None:
        """Return the response to a command, without the empty line after it; None for an empty command."""
        text = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line.partition("#")[0]).replace("\t", " ")
        parts = re.fullmatch(r" *(\d*) *(\S*) *(.*)", text)
        assert parts is not None
        number, command, words = parts[1], parts[2], parts[3].split()
        if not command:
            return None
        try:
            if command not in self._commands:
                raise GtpRefusal("unknown command")
            response = self._commands[command](words)
        except GtpRefusal as refusal:
            return f"?{number} {refusal}"
        return f"={number} {response}".rstrip(" ")

    def close(self) -> None:
        """Close the agent."""
        self._agent.close()

    def _new_match(self) -> Match:
        self._games += 1
        self._warm_up()  # before the match seeds the agent
        return Match(self._game, [(self._spec, self._agent)] * 2, spawn_seeds(self._seed, self._games, count=1)[0])

    def _clear(self, words: Sequence[str]) -> str:
        self._match, self._plays = self._new_match(), []
        return ""

    def _board_size(self, words: Sequence[str]) -> str:
        """Set the size and clear the board, as most programs do; another size needs a new agent."""
        size = _number(words, int)
        if size != self._game.options["size"]:
            self._change_options({"size": size}, "unacceptable size")
        return self._clear(())

    def _komi(self, words: Sequence[str]) -> str:
        komi = _number(words, float)
        if self._is_go and komi != self._game.options["komi"]:
            self._change_options({"komi": komi}, "unacceptable komi")
            self._replay(self._plays)
        return ""

    def _change_options(self, change: dict[str, int | float], refusal: str) -> None:
        """Change options of the game; raise `GtpRefusal` if the game or the agent does not allow them."""
        try:
            game = make_game(self._game.name, **{**self._game.options, **change})
            agent = make_agent(self._spec, game)
        except UsageError as error:
            raise GtpRefusal(f"{refusal}: {error}") from None
        self._agent.close()
        self._game, self._agent, self._is_warm = game, agent, False

    def _replay(self, plays: Sequence[tuple[int, int]]) -> None:
        self._clear(())
        for seat, action in plays:
            self._put(seat, action)

    def _put(self, seat: int, action: int) -> None:
        """Play for a colour."""
        self._give_turn(seat)
        self._match.play(action)
        self._plays.append((seat, action))

    def _give_turn(self, seat: int) -> None:
        """Let the other colour pass if it is its turn, as in handicap games of go; `UsageError` if it may not."""
        if not self._match.over and self._match.seat != seat:
            if not self._notation.passes:
                raise UsageError(f"it is the turn of {COLOURS[1 - seat]}")
            self._match.play(self._pass)

    @property
    def _pass(self) -> int:
        return self._game.num_actions - 1

    def _play(self, words: Sequence[str]) -> str:
        if len(words) != 2:
            raise GtpRefusal("syntax error")
        seat = _seat(words)
        try:
            action = self._game.parse_action(self._match.state, self._notation.read(words[1]))
        except UsageError:
            raise GtpRefusal("syntax error") from None
        before = list(self._plays)
        try:
            self._put(seat, action)
        except UsageError:
            self._replay(before)
            raise GtpRefusal("illegal move") from None
        return ""

    def _genmove(self, words: Sequence[str]) -> str:
        """Let the agent move for a colour."""
        return self._decide(words)[0]

    def _genmove_analyse(self, words: Sequence[str]) -> str:
        """Let the agent move for a colour, and return what it states of the move with it."""
        move, answer = self._decide(words)
        if answer is None or move == "resign":
            return f"\nplay {move}"
        action = numbered(answer.action)
        visits = None if answer.visits is None else int(answer.visits[action])
        expected = [] if answer.pv is None else answer.pv.tolist()
        rest = self._match.line(expected[1:]) if expected[:1] == [action] else ()
        line = [move, *map(self._notation.written, rest)]
        return "\n" + written_analysis(move, answer.value, visits, line)

    def _decide(self, words: Sequence[str]) -> tuple[str, Answer | None]:
        """Let the agent move for a colour; return the move, and its answer where it was asked."""
        seat = _seat(words)
        try:
            self._give_turn(seat)
        except UsageError as error:
            raise GtpRefusal(str(error)) from None
        if self._match.over:
            if self._notation.passes:  # both have passed, or cannot move: nothing is left to be played
                return "pass", None
            raise GtpRefusal("the game is over")
        before, began = self._match.state, time.monotonic()
        played = sum(player == seat for player, _ in self._plays)
        answer = self._match.advance(self._clocks.reading(seat, played))
        self._clocks.spend(seat, time.monotonic() - began)
        verdict = self._match.verdict
        if verdict is not None and verdict.offender is not None:
            self._replay(list(self._plays))
            if verdict.reason is Reason.RESIGNED:
                return "resign", answer
            raise GtpRefusal(f"{self._spec} makes no move: {verdict.reason}, {verdict.detail}")
        action = numbered(self._match.actions[-1])
        self._plays.append((seat, action))
        return self._notation.written(self._game.action_text(before, action)), answer

    def _warm_up(self) -> None:
        """Load and compile the agent's code before its clock runs."""
        if not self._is_warm:
            warm_up_server(self._game, self._agent)
            self._is_warm = True

    def _time_settings(self, words: Sequence[str]) -> str:
        """Set the main time, the time of a period, and its number of moves."""
        main_s, period_s = _number(words, float), _number(words[1:], float)
        self._clocks = GtpClocks(main_s, period_s, _number(words[2:], int))
        return ""

    def _time_left(self, words: Sequence[str]) -> str:
        """Set the time that a colour has left, and the moves to go in its period, 0 in the main time."""
        seat = _seat(words)
        self._clocks.tell(seat, _number(words[1:], float), _number(words[2:], int))
        return ""

    def _undo(self, words: Sequence[str]) -> str:
        if not self._plays:
            raise GtpRefusal("cannot undo")
        self._replay(self._plays[:-1])
        return ""

    def _final_score(self, words: Sequence[str]) -> str:
        """Return the score: in go as if both passed now, in other games who has won."""
        if not self._is_go:
            return self._winner()
        counted = Match(self._game, [("", None)] * 2, opening=self._match.actions)
        while not counted.over:
            counted.play(self._pass)
        lead = float(counted.state["score"] - counted.state["komi"])
        return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"

    def _winner(self) -> str:
        verdict = self._match.verdict
        if verdict is None:
            raise GtpRefusal("cannot score")
        return "0" if verdict.returns[0] == verdict.returns[1] else f"{'BW'[verdict.returns[0] < 0]}+"

    def _set_game(self, words: Sequence[str]) -> str:
        """Accept the game that is served."""
        if " ".join(words).lower() != self._game.title.lower():
            raise GtpRefusal("unsupported game")
        return ""

    def _set_seed(self, words: Sequence[str]) -> str:
        """Use another seed from the next game on."""
        self._seed, self._games = abs(_number(words, int)), 0
        return self._clear(()) if not self._plays else ""

    def _quit(self, words: Sequence[str]) -> str:
        self.has_quit = True
        return ""


def _seat(words: Sequence[str]) -> int:
    if not words or words[0].lower() not in SEATS:
        raise GtpRefusal("syntax error")
    return SEATS[words[0].lower()]


def _number(words: Sequence[str], kind: type[T]) -> T:
    try:
        return kind(words[0])
    except (IndexError, ValueError):
        raise GtpRefusal("syntax error") from None
