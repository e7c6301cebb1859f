"""`arena uci`: an agent as a chess engine, for any program that speaks the Universal Chess Interface."""

import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated

import tyro

import arena
from arena.base.checks import require_between
from arena.base.errors import IllegalActionError, UsageError
from arena.base.seeding import spawn_seeds
from arena.match.ask import Answer
from arena.match.match import Match
from arena.match.warm_up import warm_up_server
from arena.policy.centipawns import centipawns
from arena.policy.clock import ClockReading
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from games.engine.actions import numbered
from games.engine.game import TERMINAL, Game, State
from games.engine.picture import Picture

NULL_MOVE = "bestmove 0000"
"""Answer if the agent fails; UCI has no other way to report it."""
LARGEST_SEED = 2**31 - 1
DEFAULT_OVERHEAD_MS, LARGEST_OVERHEAD_MS = 10, 5000
"""Milliseconds that the agent is told to have less than its clock."""
ENDLESS_S = 1e6
"""Time of a search that ends when it is told to."""
MOVES_AFTER_PONDERING = 40
LAST_RANKS = "18"
GO_TIMES = ("wtime", "btime", "winc", "binc", "movetime")


@dataclass(frozen=True)
class Options:
    """Serve an agent as a UCI chess engine on standard input and output, for a chess program to run.

    The agent is told the clocks and limits that `go` names. Searches manage their time by them (`alphabeta`, `mcts`);
    an agent whose spec sets its own effort (`alphabeta:5`, `mcts:400`) keeps it, within its clock.
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Agent that plays: alphabeta, alphabeta:3, ppo:runs/chess."""
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
        self._overhead_s = DEFAULT_OVERHEAD_MS / 1000
        self._is_warm = False
        self._pictures: dict[int, Picture] = {}  # of a position of each seat: the squares of its moves
        self._pondered = ClockReading()  # clock of a search that `ponderhit` makes one of the game

    def obey(self, line: str) -> bool:
        """Carry out a command; return False after `quit`. Unknown commands are ignored, as UCI requires."""
        command, *words = line.split() or [""]
        if command == "quit":
            return False
        if command == "uci":
            _say(f"id name Arena {arena.__version__} {self._name}")
            _say("id author the authors of Arena")
            _say(f"option name Seed type spin default {self._seed} min 0 max {LARGEST_SEED}")
            _say(f"option name Move Overhead type spin default {DEFAULT_OVERHEAD_MS} min 0 max {LARGEST_OVERHEAD_MS}")
            _say("option name Ponder type check default false")
            _say("uciok")
        elif command == "isready":
            if self._thread is None:
                self._warm_up()
            _say("readyok")
        elif command == "stop":
            self._may_answer.set()
            self._hurry(0.0)
        elif command == "ponderhit":
            self._may_answer.set()
            self._hurry(after_pondering_s(self._pondered))
        elif command in ("ucinewgame", "position", "setoption", "go"):
            self.stop()
            obey = {"ucinewgame": self._forget, "position": self._position, "setoption": self._set, "go": self._go}
            try:
                obey[command](words)
            except UsageError as error:
                _say(f"info string {error}")
        return True

    def stop(self) -> None:
        """Have the agent move at once, and wait for that."""
        self._may_answer.set()
        if self._thread is not None:
            self._hurry(0.0)
            self._thread.join()
            self._thread = None

    def _hurry(self, seconds: float) -> None:
        """Ask the agent, in so many seconds, to answer; again until it has, since its search may not have begun."""
        thread = self._thread

        def hurry() -> None:
            if thread is not None:
                thread.join(seconds)
                while thread.is_alive():
                    self._agent.hurry()
                    thread.join(0.01)

        threading.Thread(target=hurry, daemon=True).start()

    def _warm_up(self) -> None:
        """Load and compile the agent's code, before any clock runs."""
        if not self._is_warm:
            warm_up_server(self._game, self._agent)
            self._is_warm = True

    def _forget(self, words: list[str]) -> None:
        """Obey `ucinewgame`: begin a game from the start, which may take time, before the next clock runs."""
        self._position_text, self._moves = self._start, []
        self._match = self._new_match(self._start)

    def _set(self, words: list[str]) -> None:
        """Obey `setoption name NAME value N`."""
        name, _, value = " ".join(words).removeprefix("name ").partition(" value ")
        largest = {"seed": LARGEST_SEED, "move overhead": LARGEST_OVERHEAD_MS}
        if name.lower() == "ponder":  # the program that asks for it says so with `go`
            return
        if name.lower() not in largest:
            raise UsageError(f"there is no option {name!r}; known: Seed, Move Overhead, Ponder")
        most = largest[name.lower()]
        if not (value.isascii() and value.isdecimal() and int(value) <= most):
            raise UsageError(f"{name} {value!r} is not a number from 0 to {most}")
        if name.lower() == "seed":
            self._seed, self._games, self._match = int(value), 0, None
        else:
            self._overhead_s = int(value) / 1000

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
        self._warm_up()  # before the match seeds the agent
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
        match = self._open_match()
        clock = read_go(words, match.seat).less(self._overhead_s)
        self._may_answer.clear()
        self._pondered = clock
        if "ponder" in words:
            clock = replace(clock, seconds_left=ENDLESS_S, game_seconds_left=None)
        elif "infinite" not in words:
            self._may_answer.set()
        self._thread = threading.Thread(target=self._think, args=(match, clock), daemon=True)
        self._thread.start()

    def _think(self, match: Match, clock: ClockReading) -> None:
        if self._is_over(match):
            self._tell("bestmove (none)")
            return
        before = match.state
        answer = match.advance(clock if clock != ClockReading() else None)
        if match.verdict is not None and match.verdict.offender is not None:
            self._match = None
            _say(f"info string {self._name} makes no move: {match.verdict.reason}, {match.verdict.detail}")
            self._tell(NULL_MOVE)
            return
        move = self._by_squares(before, numbered(match.actions[-1]))
        self._moves.append(move)
        if answer.value is not None:
            _say(f"info depth 1 score cp {centipawns(answer.value)} pv {move}")
        self._tell(f"bestmove {move}{self._expected(match, answer)}")

    def _expected(self, match: Match, answer: Answer) -> str:
        """Return the reply that the agent expects, for the other program to let it ponder; empty if unknown."""
        if (
            answer.pv is None
            or len(answer.pv) < 2
            or match.over
            or not match.game.allows(int(answer.pv[1]), match.legal)
        ):
            return ""
        return f" ponder {self._by_squares(match.state, int(answer.pv[1]))}"

    def _by_squares(self, state: State, action: int) -> str:
        """Return a legal move in UCI notation: its source and target squares, and the letter of a promotion."""
        seat = int(state["current_player"])
        picture = self._pictures.get(seat) or self._pictures.setdefault(seat, self._game.picture(state))
        assert picture.action_origins is not None
        cells = (picture.action_origins[action], picture.action_cells[action])
        squares = "".join(picture.column_labels[column] + picture.row_labels[row] for row, column in cells)
        if squares[-1] not in LAST_RANKS:
            return squares
        promotion = re.search("=([QRBN])", self._game.action_text(state, action))
        return squares + (promotion[1].lower() if promotion else "")

    def _tell(self, line: str) -> None:
        self._may_answer.wait()
        _say(line)


def read_go(words: Sequence[str], seat: int) -> ClockReading:
    """Return the clock that `go` names, in milliseconds there; words that are no limits of a search are ignored.

    Raises `UsageError` for a limit without a whole number.
    """
    own, other = ("w", "b") if seat == 0 else ("b", "w")
    limits = {name: _go_number(words, name) for name in (*GO_TIMES, "movestogo", "depth", "nodes") if name in words}
    left, rest, increment = (limits.get(name) for name in (f"{own}time", f"{other}time", f"{own}inc"))
    left_s, rest_s = _in_seconds(left), _in_seconds(rest)
    times = [time for time in (_in_seconds(limits.get("movetime")), left_s) if time is not None]
    if "infinite" in words:
        times = [ENDLESS_S]
    everybody = () if left_s is None or rest_s is None else (left_s, rest_s) if seat == 0 else (rest_s, left_s)
    return ClockReading(
        seconds_left=min(times, default=None),
        game_seconds_left=None if "infinite" in words else left_s,
        increment_s=_in_seconds(increment) or 0.0,
        moves_to_go=limits.get("movestogo"),
        nodes=limits.get("nodes"),
        depth=limits.get("depth"),
        all_seconds_left=everybody,
    )


def _go_number(words: Sequence[str], name: str) -> int:
    value = next(iter(words[words.index(name) + 1 :]), "")
    if not re.fullmatch(r"-?[0-9]{1,12}", value):  # clocks of programs that tolerate being late go below 0
        raise UsageError(f"go {name} {value}: expected a whole number")
    return max(int(value), 1)


def _in_seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def after_pondering_s(clock: ClockReading) -> float:
    """Return the seconds to go on searching once the move that was pondered on has been played."""
    if clock.seconds_left is None:
        return 0.0
    share = clock.seconds_left if clock.game_seconds_left is None else clock.seconds_left / MOVES_AFTER_PONDERING
    return min(share + clock.increment_s / 2, 0.9 * clock.seconds_left)


def _say(line: str) -> None:
    print(line, flush=True)
