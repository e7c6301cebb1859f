"""`HostedEnv`: one game of somebody else's environment, with actions and observations of one shape."""

import math
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from operator import or_
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.hosted.presentation import Drawing
from arena.env.spaces import Observations
from games.engine.actions import Action, ActionBox, action_of, random_action, written
from games.engine.errors import ContractError, in_a_line
from games.engine.seats import SeatGroup, box_of, group_of

Result = TypeVar("Result")


class EnvironmentFaultError(UsageError):
    """Raised where somebody else's environment fails or breaks its contract; its traceback, if any, is a note."""


class HostedEnv(ABC):
    """One game, stepped by whoever is asked to act; abstract.

    Everything that the environment does is checked: what it raises, and what it gives that no game may give, becomes an
    `EnvironmentFaultError` that names the environment, the step and the agent.

    Args:
        name: name of the game in messages.
        agents: names of the agents by seat.
        observations: how what a seat is shown becomes an array.
        num_actions: number of actions; 0 where all are continuous.
        action_box: the continuous actions; None where all are numbered.

    """

    def __init__(
        self,
        name: str,
        agents: Sequence[str],
        observations: Observations,
        num_actions: int,
        action_box: ActionBox | None = None,
    ):
        self.name, self.agents = name, tuple(agents)
        self.observations, self.num_actions, self.action_box = observations, num_actions, action_box
        self.perfect_information = False
        """True if every seat is shown the whole position."""
        self.groups: tuple[SeatGroup, ...] = ()
        """Groups of agents with equal spaces; none if all are equal."""
        self.simultaneous = False
        """True if seats choose at the same time, asked one after the other."""
        self.steps = 0
        """Number of actions so far."""
        self.max_length = sys.maxsize
        """Number of actions after which the game is truncated."""
        self.seat = 0
        """The seat that is asked to act."""
        self.mask = np.ones(num_actions, np.bool_)
        """Its legal actions, [A]; all True once the game is over."""
        self.terminated = np.zeros(len(agents), np.bool_)
        """Seats whose episode has terminated, [P]."""
        self.truncated = np.zeros(len(agents), np.bool_)
        """Seats whose episode has been truncated, [P]."""

        self.over = False
        """True once nobody is asked any more."""

    def reset(self, seed: int) -> None:
        """Begin a game."""
        self.steps = 0
        self.terminated[:] = self.truncated[:] = False
        self._guarded(self._reset, seed)
        self._look()

    def step(self, action: Action) -> NDArray[np.float32]:
        """Take a legal action for the seat that is asked; return what it brought each seat, [P]."""
        self.steps += 1
        rewards = self._guarded(self._step, action)
        if not math.isfinite(sum(rewards.tolist())):
            seat = int(np.flatnonzero(~np.isfinite(rewards))[0])
            raise self.fault(f"gave agent {self.agents[seat]} the reward {rewards[seat]}")
        if self.steps >= self.max_length:
            self.truncated |= ~self.terminated
        self._look()
        return np.asarray(rewards, np.float32)

    def observe(self, seat: int) -> NDArray[Any]:
        """Return what a seat is shown, [O]."""
        shown, wanted = self._guarded(self._observe, seat), self.observations.shape
        if shown.shape != wanted:
            raise self.fault(f"showed agent {self.agents[seat]} an observation of shape {shown.shape}, not {wanted}")
        if shown.dtype.kind == "f" and np.isnan(shown).any():
            raise self.fault(f"showed agent {self.agents[seat]} an observation that is not a number (nan)")
        return shown.astype(self.observations.dtype, copy=False)

    def _look(self) -> None:
        """Note whether the game is over, who is asked, and what is legal."""
        self.over = all(map(or_, self.terminated.tolist(), self.truncated.tolist()))
        if self.over:
            self.mask = np.ones(self.num_actions, np.bool_)
            return
        self.seat = self._next_seat()
        self.mask = self._guarded(self._mask, self.seat)
        if not self.mask.any() and self.box_of(self.seat) is None:
            raise self.fault(f"asks agent {self.agents[self.seat]} to act and masks every action")

    def group_of(self, seat: int) -> SeatGroup | None:
        """Return the group of a seat; None where all seats are alike."""
        return group_of(self.groups, seat)

    def box_of(self, seat: int) -> ActionBox | None:
        """Return the continuous actions of a seat, of its own entries alone; None where its actions are numbered."""
        return box_of(self.groups, self.action_box, seat)

    def random_action(self, rng: np.random.Generator) -> Action:
        """Draw a legal action uniformly."""
        group = self.group_of(self.seat)
        if self.action_box is None or group is None:
            return random_action(self.mask, self.action_box, rng)
        return action_of(group.padded_actions(group.draw(self.mask[None], rng), self.action_box.low.shape)[0])

    def fault(self, what: str) -> EnvironmentFaultError:
        """Return the error that says what the environment did wrong."""
        return EnvironmentFaultError(f"{self.name}, step {self.steps}: the environment {what}")

    def _guarded(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Let the environment do something; raise `EnvironmentFaultError` for whatever it raises."""
        try:
            return work(*arguments)
        except EnvironmentFaultError:
            raise
        except ContractError as error:
            raise self.fault(str(error)) from None
        except Exception as error:  # third-party code may raise anything
            agent = f" with agent {self.agents[self.seat]} to act" if self.steps else ""
            fault = self.fault(f"failed{agent}: {in_a_line(error)}")
            fault.add_note(traceback.format_exc())
            raise fault from error

    @abstractmethod
    def _reset(self, seed: int) -> None:
        """Begin a game."""

    @abstractmethod
    def _step(self, action: Action) -> NDArray[Any]:
        """Act for the seat that is asked; return the rewards [P], and set `terminated` and `truncated`."""

    @abstractmethod
    def _next_seat(self) -> int:
        """Return the seat that is asked to act."""

    @abstractmethod
    def _mask(self, seat: int) -> NDArray[np.bool_]:
        """Return the legal actions of the seat that is asked, [A]."""

    @abstractmethod
    def _observe(self, seat: int) -> NDArray[Any]:
        """Return what a seat is shown."""

    def copy(self) -> "HostedEnv":
        """Return a copy that plays on independently; `EnvironmentFaultError` if the environment cannot be copied."""
        raise self.fault("cannot be copied")

    determinizes = False
    """True if `determinize` replaces all that a seat may not know."""

    def determinize(self, seat: int, seed: int) -> None:  # noqa: B027  # most environments cannot
        """Replace what a seat may not know, chance that is still to come included, by a sample drawn by `seed`."""

    def board(self) -> Drawing | None:
        """Return the whole position as it is drawn; None if the environment does not draw it."""
        return None

    def view(self, seat: int) -> Drawing | None:
        """Return what a seat knows as it is drawn; None if the environment does not draw it."""
        return None

    def action_text(self, action: Action) -> str:
        """Return the name of an action; its number where actions have no names."""
        return written(action)

    def read_action(self, text: str) -> int | None:
        """Return the action that a text means, if it is not the name of an action; None if it means none."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Close the environment."""
