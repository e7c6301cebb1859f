"""One match, a move at a time: for screens and people."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import IllegalActionError, UsageError
from arena.base.seeding import spawn_seeds
from arena.env.make import vector_games
from arena.match.adjudication import Adjudicator
from arena.match.ask import NO_ACTION, Answer, ask, begin, view
from arena.match.contained import clock_of_contained
from arena.match.limits import Limits
from arena.match.shown import witness_of
from arena.match.starts import start_of
from arena.match.time_control import GameClocks
from arena.match.transcripts import Minutes
from arena.match.verdict import Failure, MatchRecord, Reason, Verdict, fault, forfeit
from arena.policy.clock import FEWEST_S, ClockReading
from arena.policy.protocol import Policy
from games.engine.actions import Action, written
from games.engine.game import Game
from games.engine.picture import Picture

ONLY = np.zeros(1, np.int64)
"""The rows of the only game of a vector environment."""


class Match:
    """A game in progress between `players` (name, policy), one per seat; for a policy of None, moves come from outside.

    A policy's illegal action or exception loses the match for it. `play` takes moves from outside and
    raises `IllegalActionError` for an illegal action, which changes nothing. The policies play by the clock of
    `limits`, by default that of policies in processes of their own (`ContainedPolicy`). An `adjudicator` may end the
    match after a policy's move.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[tuple[str, Policy | None]],
        seed: int = 0,
        opening: Sequence[Action] = (),
        limits: Limits | None = None,
        adjudicator: Adjudicator | None = None,
    ):
        if len(players) != game.num_players:
            raise UsageError(f"{game.name} has {game.num_players} seats, not {len(players)}")
        self.game = game
        self.players = tuple(players)
        self.seed = seed
        self.opening = tuple(opening)
        self.actions: list[Action] = []
        self._move_ms: list[int] = []
        self.verdict: Verdict | None = None
        limits = clock_of_contained([policy for _, policy in players], limits)
        control = None if limits is None else limits.control
        self.clocks = None if control is None else GameClocks(control, game.num_players)
        self._overhead_s = 0.0 if limits is None else limits.overhead_s
        self._adjudicator = adjudicator
        self._sheet = None if adjudicator is None else adjudicator.new_game()
        self._env = vector_games(game, 1)
        self._env.reset(seed=seed)
        self.start = start_of(game)
        """Position in which the game began, as in `MatchRecord`."""
        self._initial = game.initial.reshape(1) if self.start else None
        self._witness = witness_of(self._env)
        self._minutes = Minutes()
        self._hidden: list[Any] = [None] * game.num_players
        self._returns = np.zeros(game.num_players)
        self._unfit = [
            None if policy is None else begin(policy, agent_seed)
            for (_, policy), agent_seed in zip(players, spawn_seeds(seed, count=len(players)), strict=True)
        ]
        for action in opening:
            self.play(action)

    @property
    def state(self) -> NDArray[Any]:
        """A copy of the position, shape ()."""
        return self._env.states[:1].copy().reshape(())  # NumPy's `array` of one record would share its memory

    def shown_to(self, *seats: int) -> NDArray[Any]:
        """Return a copy of the position, shape (), without anything hidden from any of `seats`."""
        copy = self._env.states[:1].copy()
        for seat in seats:
            self.game.redact(copy, np.array([seat]))
        return copy.reshape(())

    def picture(self, state: NDArray[Any]) -> Picture:
        """Return the picture of the current position, given as `state` or `shown_to` returns it."""
        return self._env.picture(0, state)

    def action_text(self, action: Action, state: NDArray[Any] | None = None) -> str:
        """Return the name of an action in the current position, or in what `shown_to` returned of it."""
        return self._env.action_text(0, self.state if state is None else state, action)

    def last_move(self, before: NDArray[Any]) -> str:
        """Return the name of the action played last, in the position `before` it."""
        return self._witness.last_move if self._witness else self.game.action_text(before, self.actions[-1])

    def shown(self, length: int) -> bytes | None:
        """Return what the match has shown until so many actions had been played, as in `MatchRecord`."""
        return None if self._witness is None else self._witness.packed(0, length)

    def line(self, actions: Sequence[Action]) -> tuple[str, ...]:
        """Return a line of play from this position in the game's notation, up to its first illegal action."""
        env, texts = vector_games(self.game, 1), []
        env.load_state_dict(self._env.state_dict())
        for action in actions:
            if env.over[0] or not self.game.allows(action, env.mask[0]):
                break
            texts.append(self.game.action_text(env.states[0], action))
            env.step([action])
        return tuple(texts)

    def imagined(self, policy: Policy, action: Action, most: int, seconds: float) -> tuple[Action, ...]:
        """Return the line in which `policy` plays on for every seat after an action, of at most so many actions.

        It ends where the game does, with an answer that fails or is no more than a guess, without a value, or when the
        time is over. In games that hide something, have chance or seats that move at once it is the action alone.
        """
        if not self.game.perfect_information or self.game.has_chance or self.game.simultaneous:
            return (action,)
        env, line, until = vector_games(self.game, 1), [action], time.monotonic() + seconds
        env.load_state_dict(self._env.state_dict())
        env.step([action])
        while not env.over[0] and len(line) < most and time.monotonic() < until:
            played = np.array([[*self.actions, *line]], self.game.action_dtype)
            obs = view(env, np.zeros(1, np.int64), policy, played, np.array([played.size]), self._initial)
            obs.update(ClockReading(seconds_left=max(until - time.monotonic(), FEWEST_S)).to_arrays())
            answer = ask(self.game, policy, obs).only()
            if answer.failure or answer.value is None or not self.game.allows(answer.action, env.mask[0]):
                break
            line.append(answer.action)
            env.step([answer.action])
        return tuple(line)

    @property
    def seat(self) -> int:
        """The seat to move (or that moved last, once the match is over)."""
        return int(self._env.seats[0])

    @property
    def returns(self) -> tuple[float, ...]:
        """Return of each seat so far; that of the verdict once the match is over."""
        return tuple(self._returns.tolist()) if self.verdict is None else self.verdict.returns

    def observation_of(self, seat: int) -> NDArray[Any]:
        """Return the observation of a seat, [O]."""
        obs: NDArray[Any] = self._env.final_obs().obs[0, seat]
        return obs

    @property
    def over(self) -> bool:
        """True once there is a verdict."""
        return self.verdict is not None

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Legal actions, [A] (A = 0 where they are continuous); none once the match is over."""
        return self._env.mask[0] & (not self.over)

    def consult(self, policy: Policy, clock: ClockReading | None = None) -> Answer:
        """Return the answer of `policy` for the seat to move, which is told its `clock`, without playing it."""
        history = np.zeros((1, len(self.actions)), self.game.action_dtype)
        if self.actions:
            history[0] = self.actions
        lengths = np.array([len(self.actions)])
        obs = view(self._env, np.zeros(1, np.int64), policy, history, lengths, self._initial)
        if clock is not None:
            obs.update(clock.to_arrays())
        return ask(self.game, policy, obs, self._hidden[self.seat]).only()

    def advance(self, clock: ClockReading | None = None) -> Answer:
        """Let the policy to move choose and play; return its answer. The match may be over afterwards.

        `clock` is what the policy is told of a clock that is kept elsewhere; without it, that of the match.
        """
        seat = self.seat
        policy = self.players[seat][1]
        if self.over or policy is None:
            raise UsageError("the match is over" if self.over else f"{self.players[seat][0]} moves from outside")
        if clock is None and self.clocks is not None:
            clock = self.clocks.reading(seat).less(self._overhead_s)
        unfit = self._unfit[seat]
        began = time.monotonic()
        answer = Answer(NO_ACTION, unfit) if unfit else self.consult(policy, clock)
        spent_s = time.monotonic() - began if answer.spent_s is None else answer.spent_s
        self._hidden[seat] = answer.hidden
        self._minutes.note(len(self.actions), seat, answer.transcript)
        in_time = self.clocks is None or self.clocks.spend(seat, spent_s)
        if self._is_legal(answer.action) and in_time:
            self._play(answer.action, round(1000 * spent_s))
            self._adjudicate(seat, answer.value)
        else:
            self._move_ms.append(round(1000 * spent_s))
            late = None if in_time else Failure(f"its move took {spent_s:.3g} s", Reason.LATE)
            self.verdict = fault(self.game, seat, answer.action, answer.failure or late)
        return answer

    def play(self, action: Action) -> None:
        """Play an action from outside for the seat to move; `IllegalActionError` if it is illegal."""
        if self.over:
            raise UsageError("the match is over")
        if not isinstance(action, tuple) and self.game.action_box is not None:  # a number, of several in a vector
            action = self.game.exact(action)
        if not self._is_legal(action):
            raise IllegalActionError(f"{self.game.name}: action {written(action)} is illegal in this position")
        self._play(self.game.exact(action), 0)

    def _play(self, action: Action, spent_ms: int) -> None:
        """Play a legal action."""
        if self._witness is not None:
            self._witness.name(ONLY, [action])
        _, rewards, _, _, _ = self._env.step([action])
        if self._witness is not None:
            self._witness.look(ONLY)
        self.actions.append(action)
        self._move_ms.append(spent_ms)
        self._returns += rewards[0]
        if self._env.over[0]:
            self.verdict = Verdict(tuple(self._returns.tolist()))

    def _adjudicate(self, seat: int, value: float | None) -> None:
        """End the match if a rule of adjudication does, after a move before which its seat stated this value."""
        if self._adjudicator is not None and self._sheet is not None and not self.over:
            self._adjudicator.note(self._sheet, seat, value)
            self.verdict = self._adjudicator.verdict(self._sheet, len(self.actions), self._env.states[0])

    def resign(self, seat: int) -> None:
        """End the match as a loss for `seat`."""
        if not self.over:
            self.verdict = forfeit(self.game.num_players, seat, Reason.RESIGNED, loss=self.game.forfeit_return)

    def record(self) -> MatchRecord:
        """Return the finished match, with times if only policies played; `UsageError` before its end."""
        if self.verdict is None:
            raise UsageError("the match is not over")
        names, policies = zip(*self.players, strict=True)
        move_ms = None if None in policies else tuple(self._move_ms)
        actions, shown = tuple(self.actions), self.shown(len(self.actions))
        return MatchRecord(
            self.game.label,
            names,
            self.seed,
            self.opening,
            actions,
            self.verdict,
            move_ms,
            shown,
            self._minutes.packed(),
            self.start,
        )

    def play_out(self) -> MatchRecord:
        """Let the policies play to the end."""
        while not self.over:
            self.advance()
        return self.record()

    def _is_legal(self, action: Action) -> bool:
        return not self.over and self.game.allows(action, self.legal)
