"""Options of a self-play training."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from arena.base.checks import numbers_in, require_above, require_at_least, require_between
from arena.base.errors import UsageError
from arena.training.options import EVALUATION, RunOptions, require_even_games

if TYPE_CHECKING:
    from arena.policy.registration import Algorithm
    from games.engine.game import Game

Matchmaker = Literal["uniform", "latest", "window", "pfsp", "rating", "fictitious", "psro"]
Weighting = Literal["squared", "variance", "linear", "capped"]
MetaStrategy = Literal["nash", "alpha-rank", "prd"]
Gate = Literal["none", "score", "sprt"]
LeagueName = Literal["past", "naive", "pfsp", "full"]


@dataclass(frozen=True)
class LeagueConfig:
    """Learners of a league, and the opponents they play against."""

    self_play: float = 0.8
    """Share of a main agent's games against itself and other main agents, 0 to 1."""
    pool: float = 0.2
    """Share of a main agent's games against snapshots, 0 to 1; the rest is played against the references."""
    verification: float = 0.0
    """Share of a main agent's games against exploiters that beat it and snapshots that it no longer beats, 0 to 1;
    played against itself if there are none."""
    matchmaker: Matchmaker = "uniform"
    """Which snapshots a main agent plays. uniform: all; latest: the newest `opponents`; window: the newest
    `pool_window`; pfsp: the harder ones more often; rating: those rated about equal; fictitious: all of main agents;
    psro: a mixture by `meta_strategy`."""
    opponents: int = 4
    """Number of different snapshots that a learner plays at the same time."""
    references: tuple[str, ...] = ()
    """Fixed agents (specs) among the training opponents."""
    pfsp_weighting: Weighting = "squared"
    """Weight of a snapshot for pfsp, from the score x against it: squared (1-x)^2, variance x(1-x), linear 1-x, capped
    min(1/2, 1-x)."""
    pool_window: int = 10
    """Number of snapshots for the matchmaker window."""
    meta_strategy: MetaStrategy = "nash"
    """Mixture of snapshots for the matchmaker psro."""
    payoff_decay: float = 0.99
    """Factor by which each game lowers the weight of earlier games in the scores that matchmakers use."""
    main_agents: int = 1
    """Number of agents that train to be strong."""
    main_exploiters: int = 0
    """Number of agents that train against the main agents alone, and restart once they beat them."""
    league_exploiters: int = 0
    """Number of agents that train against all snapshots to find weaknesses of the whole league; some restart."""
    exploiter_share: float = 1.0
    """Length of an exploiter's turn relative to that of a main agent."""
    exploiter_turns: int = 2
    """Number of turns after which an exploiter's snapshot joins the league even if it does not beat its targets."""
    teachers_learn: bool = False
    """Let main agents learn from the games that exploiters play against them."""
    seats: str = "groups"
    """Policies of the seats. groups: one for each group of agents with the same observations and actions, which 'arena
    games GAME' lists (one for all where all are alike); shared: one for all; separate: one each; or the agents that
    share one, and how each learns: a+b,c or a+b=ppo,c=a2c."""
    gate: Gate = "none"
    """Test that a main agent's snapshot must pass against its predecessor to join the league: none, a score, or an
    SPRT."""
    gate_score: float = 0.55
    """Score that the gate requires, above 0, up to 1."""
    gate_games: int = 400
    """Largest number of games at the gate; an SPRT that is undecided by then refuses."""
    gate_elo0: float = 0.0
    """Elo difference under the SPRT's null hypothesis (refuse)."""
    gate_elo1: float = 50.0
    """Elo difference under the SPRT's alternative hypothesis (accept)."""
    gate_tries: int = 10
    """Number of refusals in a row after which the training stops; 0 never stops it."""
    earlier_met: int = 2
    """Number of earlier snapshots that a new one is evaluated against, for ratings (psro: all)."""

    def __post_init__(self) -> None:
        self._check_shares()
        for name, choice in (
            ("matchmaker", Matchmaker),
            ("pfsp_weighting", Weighting),
            ("meta_strategy", MetaStrategy),
            ("gate", Gate),
        ):
            if getattr(self, name) not in get_args(choice):
                known = ", ".join(get_args(choice))
                raise UsageError(f"unknown {name.replace('_', ' ')} {getattr(self, name)!r}; known: {known}")
        if self.main_agents < 1:
            raise UsageError(f"main_agents={self.main_agents}: a league needs at least 1 main agent")
        require_at_least(1, **numbers_in(self, "opponents", "pool_window", "exploiter_turns"))
        require_at_least(0, **numbers_in(self, "main_exploiters", "league_exploiters", "gate_tries", "earlier_met"))
        require_above(0, **numbers_in(self, "exploiter_share", "payoff_decay", "gate_score"))
        require_between(0, 1, **numbers_in(self, "payoff_decay", "gate_score"))
        require_even_games(self.gate_games, "gate_games")
        if self.gate_elo0 >= self.gate_elo1:
            raise UsageError(f"gate_elo0={self.gate_elo0:g} is not below gate_elo1={self.gate_elo1:g}")
        if self.num_exploiters and not self.pool + self.verification:
            raise UsageError("exploiters have no effect if main agents play no snapshots: raise pool or verification")

    def _check_shares(self) -> None:
        shares = {"self_play": self.self_play, "pool": self.pool}
        if self.verification:
            shares["verification"] = self.verification
        total = sum(shares.values())
        if min(shares.values()) < 0 or total > 1 + 1e-9:
            *others, last = [f"{name}={share}" for name, share in shares.items()]
            raise UsageError(f"{', '.join(others)} and {last} are shares: each at least 0, together at most 1")
        if 1 - total > 1e-9 and not self.references:
            raise UsageError(
                f"a share of {1 - total:.2g} of the games has no opponent: name references, or raise self_play"
            )

    @property
    def num_exploiters(self) -> int:
        """Number of exploiters of both kinds."""
        return self.main_exploiters + self.league_exploiters


LEAGUES: dict[LeagueName, LeagueConfig] = {
    "past": LeagueConfig(),
    "naive": LeagueConfig(self_play=1.0, pool=0.0),
    "pfsp": LeagueConfig(self_play=0.5, pool=0.5, matchmaker="pfsp", opponents=8),
    "full": LeagueConfig(
        self_play=0.35,
        pool=0.5,
        verification=0.15,
        matchmaker="pfsp",
        opponents=8,
        main_exploiters=1,
        league_exploiters=1,
        exploiter_share=0.5,
    ),
}
"""Preset leagues.

past: 80 % self-play and 20 % past snapshots. naive: self-play alone. pfsp: half self-play, half snapshots by PFSP.
full: the roles and shares of AlphaStar.
"""


@dataclass(frozen=True)
class RunConfig(RunOptions):
    """Length, place and evaluation of a self-play training."""

    steps: int = 1_500_000
    """Number of moves to play, by all learners together."""
    snapshots: int | None = None
    """Number of turns of each learner, evenly spaced; each ends with a checkpoint, which may join the pool. By default
    20, and fewer in a run too short for them."""
    boards: int = 512
    """Number of games played at the same time."""
    moves: int = 32
    """Moves on each board between two updates (on-policy algorithms)."""
    openings: int = 0
    """Largest number of random moves at the start of a training game; each number from 0 is equally likely."""
    evaluation: tuple[str, ...] = EVALUATION
    """Agents that each snapshot is evaluated against in separate games; the references are added to them."""
    evaluation_games: int = 100
    """Number of games against each of them, equally many from every seat."""
    usual_snapshots: ClassVar[int] = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(1, **numbers_in(self, "boards", "moves"))
        require_at_least(0, **numbers_in(self, "openings"))
        require_even_games(self.evaluation_games)


def require_rivalry(game: "Game", league: LeagueConfig) -> None:
    """Raise `UsageError` if a league asks who beats whom in a game that nobody wins."""
    if game.competitive:
        return
    wrong = [f"gate={league.gate}"] if league.gate != "none" else []
    wrong += [f"matchmaker={league.matchmaker}"] if league.matchmaker in ("pfsp", "rating", "psro") else []
    wrong += [f"exploiters={league.num_exploiters}"] if league.num_exploiters else []
    wrong += [f"verification={league.verification:g}"] if league.verification else []
    if wrong:
        raise UsageError(
            f"nobody wins {game.name}, and {' and '.join(wrong)} ask who does: take the league past or naive, without "
            "a gate or exploiters; the best snapshot is that whose teams earn most"
        )


def usual_league(algorithm: "Algorithm | None") -> LeagueName:
    """Return the name of an algorithm's default league."""
    return "naive" if algorithm is not None and algorithm.self_play else "past"


def nearest_preset(league: LeagueConfig) -> LeagueName:
    """Return the preset from which a league differs in the fewest options.

    >>> nearest_preset(LeagueConfig(self_play=0.7, pool=0.3, opponents=8))
    'past'
    """

    def differing(name: LeagueName) -> int:
        return sum(value != asdict(league)[key] for key, value in asdict(LEAGUES[name]).items())

    return min(LEAGUES, key=differing)
