"""`arena mcp`: games and agents as tools of an assistant, over the Model Context Protocol."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

import numpy as np

import arena
from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.base.seeding import spawn_seeds
from arena.match.match import Match
from arena.policy.agent_spec import AgentSpec
from arena.policy.protocol import Policy
from arena.policy.registry import AGENTS, GAMES, agent_kind, make_agent, make_game
from games.engine.game import Game
from games.engine.identity import GameId
from games.engine.manual import manual_of
from games.engine.source_files import is_source_file

MOST_GAMES = 100
"""Games kept at the same time; the oldest is forgotten."""
INSTRUCTIONS = """Play board and card games against agents of known strength, and ask them for their opinion.
Begin with list_games and new_game. Moves are texts of the game's notation, as legal_moves lists them."""


@dataclass(frozen=True)
class Options:
    """Serve games and agents to an assistant on standard input and output, by the Model Context Protocol (MCP).

    The tools are list_games, new_game, show, legal_moves, move, ask and result. The assistant chooses among the
    installed games and agents; agents that run a program or ask a server (cmd, uci, gtp, llm) and files are refused.
    """

    seed: int = 0
    """Random seed of the games: the same seed, calls and agents give the same games."""


def run(options: Options) -> int:
    """Serve until the end of input; return the exit status."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise UsageError(f"mcp: needs the package mcp, version 2 or newer: {install_command('mcp')}") from None
    with closing(Tables(options.seed)) as tables:
        server = MCPServer("arena", instructions=INSTRUCTIONS, version=arena.__version__, log_level="CRITICAL")
        for tool in tables.tools:
            server.tool()(tool)
        server.run("stdio")
    return 0


@dataclass
class Table:
    """A game in progress between the assistant and agents."""

    match: Match
    seat: int
    """Seat of the assistant."""
    agents: ExitStack
    texts: list[str]
    """Moves so far in the game's notation, as far as the assistant may see them."""


class Tables:
    """The games of one assistant, by number, and the tools that it plays them with.

    A tool answers with text. One that cannot do what is asked raises `ToolError` with the reason, which is shown to the
    assistant.
    """

    def __init__(self, seed: int = 0):
        self._seed, self._num_games = seed, 0
        self._tables: dict[int, Table] = {}

    @property
    def tools(self) -> tuple[Callable[..., str], ...]:
        """The tools, named and described for an assistant by their functions."""
        return tuple(
            _answering(tool)
            for tool in (self.list_games, self.new_game, self.show, self.legal_moves, self.move, self.ask, self.result)
        )

    def list_games(self) -> str:
        """List the games, with the number of players and options, and the agents that can be played against."""
        games = [make_game(name) for name in GAMES.names()]
        rows = [f"{game.spec}: {game.num_players} players" for game in games]
        agents = [f"{name}: {agent_kind(name).summary}" for name in AGENTS.names() if not _is_closed(name)]
        return "\n".join(["Games, with their usual options:", *rows, "", "Agents:", *agents])

    def new_game(self, game: str, opponent: str = "level:3", seat: int = 1) -> str:
        """Begin a game (connect_four, go:size=9) against an agent (level:1 to level:10, champion, mcts:400).

        You take a seat, 1 moves first; the agent takes all others. Answers with the number of the game and the board.
        """
        made = _installed_game(game)
        if not 1 <= seat <= made.num_players:
            raise UsageError(f"seat {seat} is not a seat of {made.name}; seats are 1 to {made.num_players}")
        agents = ExitStack()
        players: list[tuple[str, Policy | None]] = [
            ("you", None) if place == seat - 1 else (opponent, agents.enter_context(closing(_agent(opponent, made))))
            for place in range(made.num_players)
        ]
        self._num_games += 1
        match = Match(made, players, spawn_seeds(self._seed, self._num_games, count=1)[0])
        self._tables[self._num_games] = table = Table(match, seat - 1, agents, [])
        if len(self._tables) > MOST_GAMES:
            self._tables.pop(min(self._tables)).agents.close()
        _let_agents_move(table)
        return f"This is game {self._num_games}.\n\n{_rules(made)}\n\n{_shown(table)}"

    def show(self, number: int) -> str:
        """Show the board of a game as you may see it, the moves so far, and whose turn it is."""
        return _shown(self._table(number))

    def legal_moves(self, number: int) -> str:
        """List your legal moves in a game, in its notation."""
        table = self._table(number)
        return "The game is over." if table.match.over else ", ".join(_legal(table))

    def move(self, number: int, move: str) -> str:
        """Play a move of yours, as legal_moves names it; answers with the agents' replies and the board."""
        table = self._table(number)
        match = table.match
        if match.over:
            raise UsageError("the game is over")
        state = match.shown_to(table.seat)
        action = match.game.parse_action(state, move)
        if not match.game.allows(action, match.legal):
            raise UsageError(f"{move} is illegal here; legal moves: {', '.join(_legal(table))}")
        table.texts.append(match.action_text(action, state))
        match.play(action)
        _let_agents_move(table)
        return _shown(table)

    def ask(self, number: int, agent: str = "champion") -> str:
        """Ask an agent what it would play in your place now, what it expects to come of it, and how it goes on."""
        table = self._table(number)
        match = table.match
        if match.over:
            raise UsageError("the game is over")
        with closing(_agent(agent, match.game)) as policy:
            policy.reset(self._seed)
            answer = match.consult(policy)
        if answer.failure is not None:
            raise UsageError(f"{agent} makes no move: {answer.failure.detail}")
        text = f"{agent} would play {match.action_text(answer.action, match.shown_to(table.seat))}"
        value = "" if answer.value is None else f", and expects {answer.value:+.2f}"
        line = [] if answer.pv is None else match.line(answer.pv[answer.pv >= 0].tolist())
        return f"{text}{value}." + (f" Its line: {' '.join(line)}" if line else "")

    def result(self, number: int) -> str:
        """Say how a game ended, or that it goes on."""
        return _outcome(self._table(number))

    def close(self) -> None:
        """Close all agents."""
        for table in self._tables.values():
            table.agents.close()
        self._tables.clear()

    def _table(self, number: int) -> Table:
        if number not in self._tables:
            raise UsageError(f"there is no game {number}; new_game begins one")
        return self._tables[number]


def _answering(tool: Callable[..., str]) -> Callable[..., str]:
    """Return a tool that reports wrong input as the protocol does."""
    from functools import wraps

    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def call(*arguments: Any, **named: Any) -> str:
        try:
            return tool(*arguments, **named)
        except UsageError as error:
            raise ToolError(str(error)) from None

    return call


def _installed_game(text: str) -> Game:
    """Make a game that is installed; nothing is imported because an assistant names it."""
    name = GameId.parse(text).name
    if name not in GAMES.names():
        raise UsageError(f"there is no game {name!r}; list_games lists them")
    return make_game(text)


def _agent(text: str, game: Game) -> Policy:
    """Make an agent that runs nothing but what is installed."""
    closed = [part for part in text.split(":") if _is_closed(part)]
    if closed:
        raise UsageError(f"{text}: {closed[0]} runs a program or a file, which an assistant may not choose")
    return make_agent(text, game)


def _is_closed(part: str) -> bool:
    """Return whether a part of an agent's spec names a program, a server or a file."""
    if is_source_file(part):
        return True
    name = AgentSpec.parse(part).name
    return name in AGENTS.names() and agent_kind(name).reaches_out


def _let_agents_move(table: Table) -> None:
    match = table.match
    while not match.over and match.seat != table.seat:
        before = match.state
        match.advance()
        if match.verdict is None or match.verdict.offender is None:
            table.texts.append(match.last_move(before) if match.game.perfect_information else "…")


def _legal(table: Table) -> list[str]:
    match, state = table.match, table.match.shown_to(table.seat)
    return [match.action_text(int(action), state) for action in np.flatnonzero(match.legal)]


def _shown(table: Table) -> str:
    match = table.match
    board = match.picture(match.state if match.over else match.shown_to(table.seat)).text()
    moves = " ".join(table.texts)
    turn = _outcome(table) if match.over else f"You are seat {table.seat + 1}, and it is your turn."
    return "\n".join([board, *([f"Moves: {moves}"] if moves else []), turn])


def _outcome(table: Table) -> str:
    verdict = table.match.verdict
    if verdict is None:
        return "The game goes on; it is your turn."
    own, others = verdict.returns[table.seat], [one for seat, one in enumerate(verdict.returns) if seat != table.seat]
    best = max(others, default=0.0)
    if table.match.game.competitive:
        word = "you " + ("won" if own > best else "lost" if own < best else "drew")
    else:
        word = f"the team earns {own:g}"
    detail = f" ({verdict.reason.value}: {verdict.detail})" if verdict.offender is not None else ""
    return f"The game is over: {word}{detail}. Returns by seat: {', '.join(f'{one:g}' for one in verdict.returns)}."


def _rules(game: Game) -> str:
    return "\n".join(paragraph for section in manual_of(game) for paragraph in (section.heading, *section.paragraphs))
