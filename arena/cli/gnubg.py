"""`arena gnubg`: an agent as an external player of GNU Backgammon."""

import socketserver
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

import tyro

import arena
from arena.base.checks import require_at_least, require_between
from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.match.match import Match
from arena.match.starts import with_start
from arena.match.warm_up import warm_up
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from games.engine.game import Game

LOST = -0.5
"""Value below which a doubled game is given up: a dropped one loses half as much as the doubled one."""
LONGEST_LINE = 4096
FIRST_DIE, DOUBLED = 33, 40
"""Fields of a board of FIBS: the dice, and whether the other has doubled."""


@dataclass(frozen=True)
class Options:
    """Serve an agent on a socket, for GNU Backgammon to ask for its moves as those of an external player.

    In GNU Backgammon, `set player 0 external localhost:PORT`. The agent never doubles, and takes a double unless it
    expects to lose by more than the stake. It plays to win where a match is to one point, and for points otherwise, if
    it was made for that: an agent of `--game backgammon:scoring=full`.
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Agent that plays: zoo:backgammon, mcts:1000, random."""
    game: Annotated[str, tyro.conf.arg(metavar="GAME")] = "backgammon"
    """Game and its scoring: backgammon:scoring=full."""
    host: str = "127.0.0.1"
    """Address to listen on; 127.0.0.1 for this machine alone."""
    port: int = 2564
    """Port to listen on; 0 for a free one, which is told."""
    seed: int = 0
    """Random seed; the same seed and questions give the same moves."""


def run(options: Options) -> int:
    """Serve one program after the other until Ctrl-C; return the exit status."""
    game = make_game(options.game)
    if game.name != "backgammon":
        raise UsageError(f"--game {options.game}: GNU Backgammon plays backgammon")
    require_at_least(0, seed=options.seed)
    require_between(0, 65535, port=options.port)
    with closing(make_agent(options.agent, game)) as agent:
        player = ExternalPlayer(game, options.agent, agent, options.seed)
        warm_up(game, agent, clocked=False)

        class Handler(socketserver.StreamRequestHandler):
            """Answers the lines of one program."""

            def handle(self) -> None:
                while line := self.rfile.readline(LONGEST_LINE):
                    self.wfile.write(f"{player.answer(line.decode(errors='replace'))}\n".encode())

        try:
            server = socketserver.TCPServer((options.host, options.port), Handler)
        except OSError as error:
            raise UsageError(f"--port {options.port} on {options.host}: {error.strerror}") from None
        with server:
            place = f"{options.host}:{server.server_address[1]}"
            print(f"In GNU Backgammon: set player 0 external {place}", flush=True)
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                print(file=sys.stderr)
    return 0


class ExternalPlayer:
    """Answers GNU Backgammon's questions for an agent."""

    def __init__(self, game: Game, name: str, agent: Policy, seed: int):
        self._game, self._name, self._agent, self._seed = game, name, agent, seed
        self._num_matches = 0

    def answer(self, line: str) -> str:
        """Return the answer to a line: a version, a move, or what to do with a double."""
        command = line.strip("\x00\r\n ")  # GNU Backgammon ends some lines with a zero byte
        if command == "version":
            return f"Interface: 2, Arena {arena.__version__} {self._name}"
        if not command.startswith("board:"):
            return f"Error: {command[:40]!r} is neither version nor a board"
        try:
            return self._board(command)
        except UsageError as error:
            return f"Error: {error}"

    def _board(self, line: str) -> str:
        assert self._game.parse_position is not None
        state, fields = self._game.parse_position(line), line.split(":")
        if int(fields[DOUBLED]):
            return self._reply_to_double(line)
        if not int(fields[FIRST_DIE]):
            return "roll"
        if state["current_player"] != 0:
            return ""  # nothing can be moved
        match = self._match(line)
        left, dice, moves = int(state["uses"].sum()), state["dice"].tolist(), []
        while left and not match.over and match.seat == 0:
            now = match.state
            if int(now["uses"].sum()) != left or now["dice"].tolist() != dice:
                break  # the rest of the roll cannot be moved, and another one has come
            match.advance()
            if match.verdict is not None and match.verdict.offender is not None:
                raise UsageError(f"{self._name} makes no move: {match.verdict.reason}, {match.verdict.detail}")
            text = self._game.action_text(now, match.actions[-1])
            moves.append(text.partition(":")[0].removesuffix("*"))
            left -= 1
        return " ".join(moves)

    def _reply_to_double(self, line: str) -> str:
        """Return `take` or `drop`, by the value of the position to the agent."""
        fields = line.split(":")
        fields[FIRST_DIE : FIRST_DIE + 2] = (
            "6",
            "5",
        )  # a value is that of a player to move; this one is to answer a double before a roll
        match = self._match(":".join(fields))
        value = match.consult(self._agent).value if not match.over and match.seat == 0 else None
        return "drop" if value is not None and value < LOST else "take"

    def _match(self, line: str) -> Match:
        self._num_matches += 1
        seed = spawn_seeds(self._seed, self._num_matches, count=1)[0]
        return Match(with_start(self._game, line), [(self._name, self._agent)] * 2, seed)
