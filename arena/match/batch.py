"""Many matches at once, in lockstep on one vector environment; for tournaments and evaluations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import make_rng, spawn_seeds
from arena.data.batch import Batch
from arena.data.rows import write_rows
from arena.env.games import VectorGames
from arena.env.make import vector_games
from arena.match.adjudication import Adjudicator
from arena.match.ask import Answers, ask, begin, failed, no_actions, view
from arena.match.contained import clock_of_contained
from arena.match.limits import Limits
from arena.match.shown import witness_of
from arena.match.starts import Opening, parted, with_start
from arena.match.transcripts import Minutes
from arena.match.verdict import MatchRecord, Verdict, fault
from arena.policy.protocol import Policy
from games.engine.actions import Action, action_of, actions_of
from games.engine.game import Game
from games.engine.jit import njit

OPENINGS_DRAWN = 256
"""Random openings drawn at a time; their number does not depend on how many are wanted, so that fewer begin more."""


@dataclass(frozen=True)
class Pairing:
    """One match to be played."""

    seating: tuple[int, ...]
    """Index of the player at each seat, in the list of players."""
    seed: int = 0
    opening: Opening = ()
    """How it begins, before the players choose."""


def play_matches(
    game: Game,
    players: Sequence[tuple[str, Policy]],
    pairings: Sequence[Pairing],
    seed: int = 0,
    adjudicator: Adjudicator | None = None,
) -> list[MatchRecord]:
    """Play all `pairings` of `players` (name, policy) to their ends, under the rules of `arena.match.match.Match`.

    Each turn asks every policy once, for all games in which it is to move. `seed` starts the random streams of the
    policies; an `adjudicator` may end games. Raises `UsageError` for a seating or opening that does not fit the game,
    and for a policy with a clock, which nobody keeps here, before any policy is asked.
    """
    clock_of_contained([policy for _, policy in players], Limits())
    for pairing in pairings:
        if len(pairing.seating) != game.num_players or not set(pairing.seating) <= set(range(len(players))):
            raise UsageError(
                f"seating {pairing.seating} does not name {game.num_players} of the players 0 to {len(players) - 1}"
            )
    return _Lockstep(game, players, pairings, seed, adjudicator).play_out() if pairings else []


class _Lockstep:
    """The games in progress. B matches, P seats; `rows` are numbers of matches, `players` numbers of players."""

    def __init__(
        self,
        game: Game,
        players: Sequence[tuple[str, Policy]],
        pairings: Sequence[Pairing],
        seed: int,
        adjudicator: Adjudicator | None,
    ):
        size = len(pairings)
        self._players, self._pairings = players, pairings
        self._env = vector_games(game, size)
        self._env.reset(seed=[pairing.seed for pairing in pairings])
        self._starts, self._openings = zip(*(parted(pairing.opening) for pairing in pairings), strict=True)
        self._initial = self._begin_elsewhere()
        self._witness = witness_of(self._env)
        self._open = np.ones(size, np.bool_)  # [B], True for matches in progress
        self._seating = np.array([pairing.seating for pairing in pairings])  # [B, P]
        self._history = np.zeros((size, game.max_length), game.action_dtype)
        self._length = np.zeros(size, np.int64)
        self._returns = np.zeros((size, game.num_players))
        self._verdicts: dict[int, Verdict] = {}  # those that the rules of the game do not give
        self._adjudicator = adjudicator
        self._sheets = [] if adjudicator is None else [adjudicator.new_game() for _ in pairings]
        self._minutes = [Minutes() for _ in pairings]
        self._hidden = [Batch() for _ in players]  # by player: a row for every match and seat
        self._play_openings()
        seeds = spawn_seeds(seed, count=len(players))
        self._unfit = [begin(policy, one) for (_, policy), one in zip(players, seeds, strict=True)]

    def play_out(self) -> list[MatchRecord]:
        """Play on until every match is over."""
        while len(rows := np.flatnonzero(self._open)):
            self._turn(rows)
        return self._records()

    def _begin_elsewhere(self) -> NDArray[Any] | None:
        """Set up the positions in which games begin that have others than usual; return all [B], None if none has."""
        game = self._env.game
        if not any(self._starts):
            return None
        initial, games = np.repeat(game.initial.reshape(1), len(self._starts)), self._env.state_dict()
        for start in filter(None, dict.fromkeys(self._starts)):
            rows = [row for row, own in enumerate(self._starts) if own == start]
            first = vector_games(with_start(game, start), 1)
            first.reset()
            initial[rows], position = first.game.initial, first.state_dict()
            for name in ("states", "seats", "mask", "over"):
                games[name][rows] = position[name]
        self._env.load_state_dict(games)
        return initial

    def _play_openings(self) -> None:
        lengths = np.array([len(opening) for opening in self._openings])
        for ply in range(lengths.max()):
            rows = np.flatnonzero(lengths > ply)
            self._play(rows, np.array([self._openings[row][ply] for row in rows.tolist()]))

    def _turn(self, rows: NDArray[np.int64]) -> None:
        """Play one move in each of `rows`: ask player by player, then step all games together."""
        seats = self._env.seats[rows]
        holders = self._seating[rows, seats]
        actions, failures = no_actions(self._env.game, len(rows)), {}
        values = np.full(len(rows), np.nan)
        for player in np.flatnonzero(np.bincount(holders)).tolist():
            part = np.flatnonzero(holders == player)
            answers = self._ask(player, rows[part], seats[part])
            actions[part] = answers.actions
            values[part] = answers.extras.get("value", np.nan)
            failures.update({int(part[i]): failure for i, failure in answers.failures.items()})
        game = self._env.game
        numbered = game.action_box is None
        legal = are_legal(rows, actions, self._env.mask) if numbered else game.allow_each(actions, self._env.mask[rows])
        if not legal.all():
            for i in np.flatnonzero(~legal).tolist():
                verdict = fault(game, int(seats[i]), action_of(actions[i]), failures.get(i))
                self._verdicts[int(rows[i])] = verdict
            self._open[rows[~legal]] = False
            rows, actions, seats, values = rows[legal], actions[legal], seats[legal], values[legal]
        self._play(rows, actions)
        if self._adjudicator is not None:
            self._adjudicate(self._adjudicator, rows, seats, values)

    def _adjudicate(
        self,
        adjudicator: Adjudicator,
        rows: NDArray[np.int64],
        seats: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """End games in `rows` [n] by rules of adjudication; `seats` [n] stated `values` [n] before they moved."""
        for row, seat, value in zip(rows.tolist(), seats.tolist(), values.tolist(), strict=True):
            sheet = self._sheets[row]
            adjudicator.note(sheet, seat, value)
            if self._open[row]:
                verdict = adjudicator.verdict(sheet, int(self._length[row]), self._env.states[row])
                if verdict is not None:
                    self._verdicts[row] = verdict
                    self._open[row] = False

    def _ask(self, player: int, rows: NDArray[np.int64], seats: NDArray[np.int64]) -> Answers:
        """Ask a player for its moves in `rows` [n] at `seats` [n], and store its hidden states."""
        policy, store = self._players[player][1], self._hidden[player]
        if (unfit := self._unfit[player]) is not None:
            return failed(self._env.game, len(rows), unfit)
        places = rows * self._env.num_agents + seats
        hidden = store.state[places] if "state" in store else None
        obs = view(self._env, rows, policy, self._history, self._length, self._initial)
        answers = ask(self._env.game, policy, obs, hidden)
        for i, transcript in answers.transcripts.items():
            self._minutes[rows[i]].note(int(self._length[rows[i]]), int(seats[i]), transcript)
        if "state" in answers.extras:
            write_rows(store, Batch(state=answers.extras.state), places, self._seating.size)
        return answers

    def _play(self, rows: NDArray[np.int64], actions: NDArray[Any]) -> None:
        if self._witness is not None:
            self._witness.name(rows, list(actions_of(actions)))
        _, rewards, _, _, _ = self._env.step(actions, rows)
        if self._witness is not None:
            self._witness.look(rows)
        note(rows, actions, rewards, self._env.over, self._history, self._length, self._returns, self._open)

    def _records(self) -> list[MatchRecord]:
        label, names = self._env.game.label, [name for name, _ in self._players]
        seatings = {pairing.seating for pairing in self._pairings}
        seated = {seating: tuple(names[player] for player in seating) for seating in seatings}
        all_returns = list(map(tuple, self._returns.tolist()))
        verdicts = {returns: Verdict(returns) for returns in set(all_returns)}  # many matches share one
        played = actions_of(self._history[np.arange(self._history.shape[1]) < self._length[:, None]])
        ends = self._length.cumsum().tolist()
        return [
            MatchRecord(
                label,
                seated[pairing.seating],
                pairing.seed,
                self._openings[row],
                tuple(played[start:end]),
                self._verdicts.get(row) or verdicts[all_returns[row]],
                shown=None if self._witness is None else self._witness.packed(row, end - start),
                transcripts=self._minutes[row].packed(),
                start=self._starts[row],
            )
            for row, (pairing, start, end) in enumerate(zip(self._pairings, [0, *ends], ends, strict=False))
        ]


@njit(cache=True, nogil=True)
def are_legal(rows: NDArray[np.int64], actions: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each action [n] is legal in its row [n] of `mask` [B, A]."""
    legal = np.empty(len(rows), np.bool_)
    for i in range(len(rows)):
        legal[i] = 0 <= actions[i] < mask.shape[1] and mask[rows[i], actions[i]]
    return legal


@njit(cache=True, nogil=True)
def note(
    rows: NDArray[np.int64],
    actions: NDArray[Any],
    rewards: NDArray[np.float32],
    over: NDArray[np.bool_],
    history: NDArray[Any],
    length: NDArray[np.int64],
    returns: NDArray[np.float64],
    still_open: NDArray[np.bool_],
) -> None:
    """Record actions [n, ...] and rewards [n, P] of the games in `rows` [n]; other arrays are of the B matches."""
    for i in range(len(rows)):
        row = rows[i]
        history[row, length[row]] = actions[i]
        length[row] += 1
        for seat in range(returns.shape[1]):
            returns[row, seat] += rewards[i, seat]
        still_open[row] = not over[row]


def outcomes(own: NDArray[Any], others: NDArray[Any]) -> NDArray[np.int64]:
    """Return 0 for a win, 1 for a draw, 2 for a loss [G], from the returns of a seat [G] and of the others [G, P - 1].

    A seat wins if more of the others have a lower return than a higher one. Among equals, wins are then as likely as
    losses for any number of players; the middle one of three draws.
    """
    return 1 - np.sign(np.sign(own[:, None] - others).sum(axis=1)).astype(np.int64)


def random_openings(game: Game, plies: int, count: int, seed: int) -> list[tuple[Action, ...]]:
    """Return `count` openings of `plies` random legal moves that leave the game unfinished.

    They repeat only if too few exist. They are empty in games of chance, which vary by themselves. With the same seed
    more of them begin with the fewer: a tournament of more games goes on where a shorter one has ended.
    Raises `UsageError` if every random game ends within `plies` moves.
    """
    if game.has_chance:
        return [()] * count
    rng = make_rng(seed)
    env = vector_games(game, OPENINGS_DRAWN)
    unique: dict[tuple[Action, ...], None] = {}  # a dict, for its order
    while len(unique) < count:
        before = len(unique)
        unique.update(dict.fromkeys(_random_lines(env, plies, rng)))
        if len(unique) == before:
            break
    if not unique:
        raise UsageError(f"{game.label}: no game is still open after {plies} random moves; take fewer")
    openings = list(unique)
    return [openings[i % len(openings)] for i in range(count)]


def _random_lines(env: VectorGames, plies: int, rng: np.random.Generator) -> list[tuple[Action, ...]]:
    """Play `plies` random legal moves in all games of `env`; return the actions of those still unfinished."""
    game = env.game
    env.reset()
    lines = np.zeros((OPENINGS_DRAWN, plies), game.action_dtype)
    rows = np.arange(OPENINGS_DRAWN)
    for ply in range(plies):
        mask = env.mask[rows]
        lines[rows, ply] = game.draw_actions(env.seats[rows], mask, rng)
        env.step(lines[rows, ply], rows)
        rows = rows[~env.over[rows]]
    return [tuple(actions_of(line)) for line in lines[rows]]
