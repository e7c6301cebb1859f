"""`RolloutSteps`: what happened on all boards, step by step, as tensors on one device; and the transitions in it.

Shapes: B boards, P seats, T steps of a collection, S = P + T rows of boards, A actions, O observation. The first P
rows are not steps: row p holds the transitions of seat p that are still open from earlier collections. So open and new
transitions need no difference.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from arena.data.batch import Batch
from arena.data.rows import require_alike
from arena.env.games import VectorGames
from arena.policy.packed import as_tensor, row_formats
from arena.policy.rollout import Decision, Rollout

OPEN = -1
"""Of an action after which neither its seat was to move again nor its game ended."""


class StepRows(NamedTuple):
    """Actions and all that is known of them, in S rows of B boards."""

    seat: Tensor
    """Who acted, int64 [S, B]."""
    obs: Tensor
    """What the seat saw, [S, B, *O]; or as bits, uint8 [S, B, m] (see `RowFormat`)."""
    mask: Tensor
    """Its legal actions, bool [S, B, A], or bits."""
    act: Tensor
    """What it did, int64 [S, B]."""
    logp: Tensor
    """The log-probability of that, [S, B]."""
    value: Tensor
    """The value of the observation, [S, B]."""
    policy_id: Tensor
    """Who that was, int64 [S, B]."""
    stored: Tensor
    """Whether it learns from that, bool [S, B]."""
    rew: Tensor
    """What the action alone brought each seat, float64 [S, B, P]; in the first P rows what the seat is owed."""
    over: Tensor
    """Seats whose game is over after the action, bool [S, B, P]."""
    cut: Tensor
    """Those of them whose game was cut off, without an outcome, bool [S, B, P]."""


class RolloutSteps:
    """The steps of one collection on all boards, and the open transitions of earlier ones.

    Args:
        env: the boards.
        steps: T.
        device: where the tensors are.

    """

    def __init__(self, env: VectorGames, steps: int, device: torch.device):
        game = env.game
        self.seats, self.taken = game.num_players, 0
        shape = (game.num_players + steps, len(env))
        self._obs, self._mask = row_formats(game)

        def zeros(*further: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.zeros((*shape, *further), dtype=dtype, device=device)

        self.rows = StepRows(
            seat=zeros(),
            obs=self._obs.zeros(*shape, device=device),
            mask=self._mask.zeros(*shape, device=device),
            act=zeros(),
            logp=zeros(dtype=torch.float32),
            value=zeros(dtype=torch.float32),
            policy_id=zeros(),
            stored=zeros(dtype=torch.bool),
            rew=zeros(game.num_players, dtype=torch.float64),
            over=zeros(game.num_players, dtype=torch.bool),
            cut=zeros(game.num_players, dtype=torch.bool),
        )
        self.rows.seat[: self.seats] = torch.arange(self.seats, device=device)[:, None]
        self._outcomes: Outcomes | None = None  # since the latest step
        self._last: list[tuple[int, Tensor, Tensor]] = []  # of games cut off: row, boards, observations of all seats

    @staticmethod
    def bytes_of(env: VectorGames, steps: int) -> int:
        """Return how much memory a collection takes: the steps, the transitions taken from them, and their shuffle."""
        shown, seats = sum(rows.nbytes for rows in row_formats(env.game)), env.game.num_players
        return 3 * (seats + steps) * len(env) * (shown + 33 + 10 * seats)

    @property
    def room(self) -> int:
        """Number of steps that can be added."""
        return len(self.rows.seat) - self.seats - self.taken

    def add(self, boards: slice, seat: Tensor, obs: Tensor, mask: Tensor, *further: Tensor) -> int:
        """Add a step of some boards, an entry [n, ...] for each field of `StepRows`; return its row.

        The last boards of all complete a step.
        """
        row = self.seats + self.taken
        entries = seat, self._obs.encode(obs), self._mask.encode(mask), *further
        for column, entry in zip(self.rows, entries, strict=True):
            column[row, boards] = entry
        self._outcomes = None
        if boards.stop == self.rows.seat.shape[1]:
            self.taken += 1
        return row

    def add_last(self, row: int, boards: Tensor, obs: Tensor) -> None:
        """Add what every seat sees, [n, P, *O], on boards whose game the step of a row has cut off."""
        self._last.append((row, boards, obs))

    def outcomes(self, now: Tensor) -> "Outcomes":
        """Return what came of every action so far, where the seats `now` [B] are to move."""
        if self._outcomes is None:
            self._outcomes = self._looked_ahead(now)
        return self._outcomes

    def _looked_ahead(self, now: Tensor) -> "Outcomes":
        rows, end = self.rows, self.seats + self.taken
        rew, closes = torch.empty_like(rows.rew[:end, :, 0]), torch.empty_like(rows.seat[:end])
        # of each seat, looking ahead from a row: what it will receive before it acts again, and the row that ends this
        ahead, closing = torch.zeros_like(rows.rew[0]), torch.full_like(rows.rew[0], OPEN, dtype=torch.int64)
        closing.scatter_(1, now[:, None], end)
        for row in range(end - 1, -1, -1):
            seat, over = rows.seat[row, :, None], rows.over[row]
            ahead.masked_fill_(over, 0.0).add_(rows.rew[row])
            closing.masked_fill_(over, row)
            rew[row], closes[row] = ahead.gather(1, seat)[:, 0], closing.gather(1, seat)[:, 0]
            ahead.scatter_(1, seat, 0.0)
            closing.scatter_(1, seat, end + 1 + row)
        return Outcomes(rew, closes)

    def rollout(self, which: Tensor, outcomes: "Outcomes", obs_now: Tensor) -> Rollout:
        """Return the transitions among the actions `which` (bool [S, B]) whose outcome is known.

        `obs_now` [B, *O] is what the seats see that are to move now.
        """
        end, boards = which.shape
        rows, seats = self.rows, torch.arange(self.seats, device=which.device)
        known = which & (outcomes.closes != OPEN)
        # pair by pair, and of each pair in the order of time: [B, P, S]
        by_pair = (rows.seat[:end].t()[:, None] == seats[:, None]) & known.t()[:, None]
        board, seat, row = by_pair.nonzero().unbind(1)
        place = row * boards + board

        def taken(column: Tensor) -> Tensor:
            return column[:end].flatten(0, 1).index_select(0, place)

        closes = taken(outcomes.closes)
        ended = closes < end
        truncated = ended & rows.cut[closes.clamp(max=end - 1), board, seat]
        terminated = ended & ~truncated
        goes_on = closes > end  # with the next row, unless nobody knows yet what came of that
        goes_on[:-1] &= (board[1:] == board[:-1]) & (seat[1:] == seat[:-1])
        goes_on[-1:] = False
        cut = (~goes_on & ~terminated).nonzero()[:, 0]
        return Rollout(
            obs=self._obs.view(taken(rows.obs)),
            mask=self._mask.view(taken(rows.mask)),
            decision=Decision(taken(rows.act), taken(rows.logp), taken(rows.value)),
            rew=taken(outcomes.rew),
            terminated=terminated,
            truncated=truncated,
            bounds=torch.nn.functional.pad(by_pair.sum(2).flatten().cumsum(0), (1, 0)),
            cut=cut,
            obs_next=self._next_observations(closes[cut], board[cut], seat[cut], obs_now, end),
        )

    def _next_observations(self, closes: Tensor, board: Tensor, seat: Tensor, obs_now: Tensor, end: int) -> Tensor:
        """Return the next observations of seats [n] on boards [n], whose actions are closed by these rows [n]."""
        again, off = closes > end, closes < end
        obs_next = obs_now.index_select(0, board)
        obs_next[again] = as_tensor(self._obs.view(self.rows.obs[closes[again] - end - 1, board[again]]))
        if self._last:
            obs_next[off] = self._last_observations(end, closes[off], board[off], seat[off])
        return obs_next

    def _last_observations(self, end: int, row: Tensor, board: Tensor, seat: Tensor) -> Tensor:
        """Return what seats [n] saw last on boards [n] whose games were cut off in rows [n]."""
        place = torch.zeros_like(self.rows.seat[:end])
        first = 0
        for at, boards, obs in self._last:
            place[at, boards] = torch.arange(first, first + len(obs), device=place.device)
            first += len(obs)
        return torch.cat([obs for _, _, obs in self._last])[place[row, board], seat]

    def forget(self, now: Tensor) -> None:
        """Forget all steps, where the seats `now` [B] are to move; transitions without an outcome stay open."""
        rows, end, outcomes = self.rows, self.seats + self.taken, self.outcomes(now)
        row, board = (rows.stored[:end] & (outcomes.closes == OPEN)).nonzero().unbind(1)
        seat, owed = rows.seat[row, board], outcomes.rew[row, board]
        kept = [column[row, board] for column in rows]  # copies, since they are written over
        self.clear()
        for column, entries in zip(rows, kept, strict=True):
            column[seat, board] = entries
        rows.rew[: self.seats] = 0.0
        rows.rew[seat, board, seat] = owed

    def clear(self) -> None:
        """Forget everything."""
        self.taken, self._last, self._outcomes = 0, [], None
        self.rows.stored[: self.seats], self.rows.rew[: self.seats] = False, 0.0

    def state_dict(self) -> Batch:
        """Return all open transitions as arrays, as `OpenTransitions` does, without who played them."""
        columns = [column[: self.seats].transpose(0, 1).flatten(0, 1) for column in self.rows]
        columns[1:3] = as_tensor(self._obs.view(columns[1])), as_tensor(self._mask.view(columns[2]))
        rows = [column.numpy(force=True).copy() for column in columns]
        for column in rows[1:]:
            column[~rows[7]] = 0  # of closed ones nothing is left
        seat, obs, mask, act, logp, value, policy_id, stored, rew, *_ = rows
        return Batch(
            is_open=stored.reshape(-1, self.seats),
            rew=rew[np.arange(len(seat)), seat].reshape(-1, self.seats),
            rows=Batch(
                obs=Batch(agent_id=seat, obs=obs, mask=mask),
                act=act,
                info=Batch(policy_id=policy_id),
                policy=Batch(logp=logp, value=value),
            ),
        )

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if it belongs to other boards or another game."""
        own = self.state_dict()
        self.clear()
        require_alike(own.is_open, arrays.is_open, "is_open")
        require_alike(own.rew, arrays.rew, "rew")
        if "rows" not in arrays or not arrays.is_open.any():
            return
        given: Batch = arrays.rows
        columns = (own.rows.obs, given.obs), (own.rows.policy, given.policy), (own.rows, given)
        for mine, theirs in columns:
            for name, array in mine.items():
                if isinstance(array, np.ndarray):
                    require_alike(array, theirs[name], name)
        require_alike(own.rows.info.policy_id, given.info.policy_id, "policy_id")
        obs, seats = given.obs, np.arange(self.seats)
        rew = np.zeros((*arrays.rew.shape, self.seats))
        rew[:, seats, seats] = arrays.rew
        stored = obs.obs, obs.mask, given.act, given.policy.logp, given.policy.value, given.info.policy_id
        entries = [torch.from_numpy(np.ascontiguousarray(array)) for array in (*stored, arrays.is_open, rew)]
        entries[:2] = self._obs.encode(entries[0]), self._mask.encode(entries[1])
        for column, entry in zip(self.rows[1:9], entries, strict=True):
            column[: self.seats] = entry.reshape(-1, self.seats, *column.shape[2:]).transpose(0, 1)


class Outcomes(NamedTuple):
    """The outcome of the actions in the first S rows."""

    rew: Tensor
    """What the seat received until it was to move again, its game ended, or now: float64 [S, B]."""
    closes: Tensor
    """By which row its game ended; S where it is to move now; S + 1 + the row in which it acted again; or `OPEN`."""
