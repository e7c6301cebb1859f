"""A sitting: people and agents at one table, game after game, from the deal to the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.match.time_control import TimeControl
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.policy.protocol import Policy
from arena.tui.parts.clocks import RunningClocks
from arena.tui.parts.draws import DrawOffer
from arena.tui.parts.hints import Hints
from arena.tui.parts.jobs import AgentJobs
from arena.tui.parts.keyboard import Keyboard
from arena.tui.parts.match import ShownMatch
from arena.tui.parts.stage import Stage
from arena.tui.services.background import BackgroundThread
from arena.tui.services.match_recorder import MatchRecorder
from arena.tui.state.live_match import LiveMatch, Position
from arena.tui.state.messages import Dealt, MovePlayed
from arena.tui.state.remote_game import RemoteGame
from arena.tui.state.series import Series
from arena.tui.state.words import YOU
from games.engine.actions import Action
from games.engine.game import Game


@dataclass(frozen=True)
class PlayOptions:
    """Limits of the games, and options of the screen."""

    seat: int = 0
    """Seat of the first person in the first game."""
    seed: int = 0
    control: TimeControl | None = None
    """Time that each seat has; None for no limit."""
    hints: Sequence[tuple[str, Policy]] = ()
    """Agents that give hints, the best first; empty for the first agent at the table."""
    show_thoughts: bool = False
    """Show the agents' thoughts during the game."""
    hands: int | None = None
    """Number of hands or games of the session; None for as many as the person likes."""
    recorder: MatchRecorder | None = None
    """Stores finished games."""
    remote: "PlayedGame | None" = None
    """The game of the session, where a server keeps it and the other player is at another machine."""


class PlayedGame(RemoteGame, Protocol):
    """A game that a server keeps and a person plays here: nothing in it is taken back."""

    @property
    def draw_by(self) -> int | None:
        """Seat that offers a draw, as far as it is known here; None for no offer."""

    def look(self) -> None:
        """Ask for news of the game."""

    def offer_draw(self) -> None:
        """Offer a draw, or accept the other's offer; raises `UsageError` where the server takes none."""

    def tell(self, record: MatchRecord) -> Verdict:
        """Tell the server how the game has ended here; return how it has ended there."""


class Room(Stage, Protocol):
    """The screen of a sitting."""

    def show(self) -> None:
        """Draw what is known now."""

    def arrived(self) -> None:
        """React to a new position, or to the end of the game."""

    def hide(self, name: str) -> None:
        """Draw the curtain until the person of that name lifts it."""

    def kept(self, news: str) -> None:
        """Show whether the game that has ended was stored."""


class Sitting:
    """Games between a person and `others` (name, policy; None for another person); seats change from game to game.

    It decides whose turn it is, asks agents for their moves, runs the clocks, scores and stores the games. Its jobs run
    in `thread`.
    """

    def __init__(
        self,
        room: Room,
        thread: BackgroundThread,
        game: Game,
        others: Sequence[tuple[str, Policy | None]],
        options: PlayOptions,
    ):
        self.game, self.options = game, options
        self.contestants: tuple[tuple[str, Policy | None], ...] = ((YOU, None), *others)
        self.match = ShownMatch(game, Series([name for name, _ in self.contestants], options.seat))
        self.live_match = LiveMatch(game)
        self.jobs = AgentJobs(room, thread)
        self.clocks = RunningClocks(room, game.num_players, options.control, self._time_is_up)
        people = [i for i, (_, policy) in enumerate(self.contestants) if policy is None]
        self.keyboard = Keyboard(people, not game.perfect_information)
        self.draw_offer = DrawOffer()
        agents = [(name, policy) for name, policy in others if policy is not None and options.remote is None]
        self.hints = Hints(options.hints or agents[:1], not options.hints, game.perfect_information)
        self._room = room
        self._seed = 0  # of this game

    @property
    def position(self) -> Position:
        """The latest position."""
        return self.match.latest

    @property
    def over(self) -> bool:
        """True if the game is over."""
        return self.position.verdict is not None

    @property
    def seat(self) -> int:
        """Seat of the person at the keyboard."""
        return self.match.series.seat_of(self.keyboard.at)

    @property
    def my_turn(self) -> bool:
        """True if the person at the keyboard may move."""
        return not self.over and self.policy_at(self.position.seat) is None and self.jobs.current in (None, "hint")

    def policy_at(self, seat: int) -> Policy | None:
        """Return the agent at a seat; None for a person."""
        return self.contestants[self.match.series.seated()[seat]][1]

    def all_agents(self) -> list[Policy]:
        """Return the agents at the table, and the one that gives hints."""
        seated = [policy for _, policy in self.contestants if policy is not None]
        return seated if self.hints.plays else [*seated, *(policy for _, policy in self.hints.advisers)]

    def open(self) -> None:
        """Set up the first match, or go on with the one that a server keeps."""
        remote = self.options.remote
        if remote is not None:
            self.clocks.wind(remote.spent)
        self.deal(() if remote is None else remote.actions)

    def deal(self, actions: tuple[Action, ...] = ()) -> None:
        """Set up a match with these actions played; only a new game winds the clocks."""
        match = self.match
        self.hints.answer = None
        self.draw_offer = DrawOffer()
        self.jobs.drop(self.all_agents())
        if not actions:
            self.clocks.wind()
        self.clocks.stop()
        match.answers = {number: answer for number, answer in match.answers.items() if number < len(actions)}
        players = [self.contestants[contestant] for contestant in match.series.seated()]
        remote = self.options.remote
        self._seed = spawn_seeds(self.options.seed, match.series.game, count=1)[0] if remote is None else remote.seed
        self.jobs.ask("deal", partial(self.live_match.deal, players, self._seed, actions), Dealt)
        self._room.show()

    def dealt(self, message: Dealt) -> None:
        """Go on from the position that was dealt."""
        if self.jobs.is_news(message):
            self.match.positions = list(message.positions)
            self._arrive()

    def play(self, action: Action) -> None:
        """Play a legal action of the person at the keyboard."""
        self.draw_offer.decline(self.position.seat)
        self.jobs.drop(self.all_agents())
        self.jobs.ask("play", partial(self.live_match.play, action), MovePlayed)

    def moved(self, message: MovePlayed) -> None:
        """Add a move of a person or of an agent."""
        if self.jobs.is_news(message):
            if message.answer is not None:
                self.match.answers[len(self.match.positions) - 1] = message.answer
            position, remote = message.position, self.options.remote
            if position.verdict is not None and remote is not None and remote.verdict is not None:
                position = replace(position, verdict=remote.verdict)
            self.match.positions.append(position)
            if remote is not None:
                self.draw_offer.by = remote.draw_by
            self._arrive()

    def end(self, verdict: Verdict) -> None:
        """End the game without a move."""
        self.jobs.drop(self.all_agents())
        self.match.positions.append(replace(self.position, legal={}, action=None, move="", verdict=verdict))
        self._arrive()

    def lift_curtain(self) -> None:
        """Go on, as the person to move sits at the keyboard."""
        self.keyboard.lift()
        self._go_on()

    def _arrive(self) -> None:
        """Continue from a new position: score it, and draw the curtain if another person is to move."""
        position, series = self.position, self.match.series
        series.credit(position.verdict)
        contestant = series.seated()[position.seat]
        moves = not self.over and contestant in self.keyboard.people
        if moves and self.keyboard.pass_to(contestant, first=len(self.match.positions) == 1):
            self._room.hide(series.names[contestant])
        else:
            self._go_on()

    def _go_on(self) -> None:
        position = self.position
        self.clocks.run(None if self.over else position.seat)
        self.hints.answer = None
        self._room.arrived()
        if self.over:
            self._keep()
        elif self.policy_at(position.seat) is not None:
            move = partial(self.live_match.advance, self.clocks.reading(position.seat))
            self.jobs.ask("advance", move, lambda job, made: MovePlayed(job, made[1], made[0]))
        self._room.show()

    def record(self) -> MatchRecord:
        """Return the game that is over."""
        verdict = self.position.verdict
        assert verdict is not None, "the game goes on"
        names, actions = tuple(self.match.seat_names), self.match.actions
        shown = self.live_match.shown(len(actions))
        return MatchRecord(self.game.label, names, self._seed, (), actions, verdict, shown=shown)

    def _keep(self) -> None:
        """Store the game, and report its number, or why it was not stored."""
        record, end = self.record(), self.position

        async def keep() -> None:
            try:
                news = await self._kept(record)
            except UsageError as error:
                news = f"not kept: {error}"
            if news and self.position is end:
                self._room.kept(news)

        self._room.run_worker(keep(), group="keeping")

    async def _kept(self, record: MatchRecord) -> str:
        """Tell the server that keeps the game, and store it; return what there is to say of that."""
        recorder, remote, news = self.options.recorder, self.options.remote, ""
        if remote is not None:
            verdict = await self.jobs.run(partial(remote.tell, record))
            if verdict != record.verdict:
                record, news = replace(record, verdict=verdict), f"the server has it otherwise: {verdict.reason}   "
        if recorder is None:
            return news
        return f"{news}kept: arena replay {await recorder.keep(record)}"

    def _time_is_up(self, seat: int) -> None:
        if self.options.remote is not None and self.policy_at(seat) is not None:
            return  # the server decides
        if not self.over and self.position.seat == seat:
            detail, loss = f"clock {self.options.control}", self.game.forfeit_return
            self.end(forfeit(self.game.num_players, seat, Reason.LATE, detail, loss))

    # --- other games ----------------------------------------------------------------------------------------------

    @property
    def under_way(self) -> bool:
        """True if a game that has begun would be lost by another."""
        return not self.over and len(self.match.positions) > 1

    def take_back(self) -> bool:
        """Go back to the last decision of a person: the player's own, or, with several people, anybody's.

        Return whether there is one.
        """
        match = self.match
        if self.options.remote is not None:
            return False
        seats = {match.series.seat_of(contestant) for contestant in self.keyboard.people}
        decisions = [i for i, position in enumerate(match.positions[:-1]) if position.seat in seats]
        if decisions:
            match.positions = match.positions[: decisions[-1] + 1]
            match.series.credit(None)
            self.deal(match.actions)
        return bool(decisions)

    @property
    def finished(self) -> bool:
        """True if the last game of the session is over."""
        return self.over and self.options.hands is not None and self.match.series.game + 1 >= self.options.hands

    def next_game(self) -> None:
        """Begin the next game of the series, seats changed."""
        self.match.series.game += 1
        self._begin()

    def change_seats(self) -> None:
        """Begin this game again, seats changed."""
        self.match.series.credit(None)
        self.match.series.change_seats()
        self._begin()

    def _begin(self) -> None:
        self.match.positions = self.match.positions[:1]
        self.deal()
