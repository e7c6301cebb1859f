"""The options of a self-play training."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from arena.config import require_above, require_at_least, require_between
from arena.errors import UsageError
from arena.league.matchmaker import Weighting
from arena.runs.options import EVALUATION, RunOptions, require_even_games

if TYPE_CHECKING:
    from arena.policy.kinds import Algorithm

Matchmaker = Literal["uniform", "latest", "window", "pfsp", "rating", "fictitious", "psro"]
MetaStrategy = Literal["nash", "alpha-rank", "prd"]
Gate = Literal["none", "score", "sprt"]
Seats = Literal["shared", "separate"]
LeagueName = Literal["past", "naive", "pfsp", "full"]


@dataclass(frozen=True)
class LeagueConfig:
    """Who trains, and whom they meet."""

    self_play: float = 0.8
    """Share of a main agent's games against itself (and other main agents), 0 to 1."""
    pool: float = 0.2
    """Share of its games against snapshots, 0 to 1; what is left is against the references."""
    verification: float = 0.0
    """Share of its games against exploiters that beat it and snapshots it has forgotten; against itself if none do."""
    matchmaker: Matchmaker = "uniform"
    """Which snapshots it meets: any; the newest `opponents`; the newest `pool_window`; those hard for it; those
    rated like it; any that came from main agents; a meta-strategy's mixture."""
    opponents: int = 4
    """How many different snapshots it meets at the same time."""
    references: tuple[str, ...] = ()
    """Fixed agents (specs) in its training games."""
    pfsp_weighting: Weighting = "squared"
    """What makes a snapshot preferred by pfsp, from the score x against it: (1-x)^2, x(1-x), 1-x, min(1/2, 1-x)."""
    pool_window: int = 10
    """How many of the newest snapshots the matchmaker window knows."""
    meta_strategy: MetaStrategy = "nash"
    """The mixture of the matchmaker psro."""
    payoff_decay: float = 0.99
    """What every game against an opponent leaves of the weight of those before it, where scores decide who is met."""
    main_agents: int = 1
    """Agents that train to be strong."""
    main_exploiters: int = 0
    """Agents that train against the main agents alone, to find their weak spots, and begin anew once they have."""
    league_exploiters: int = 0
    """Agents that train against all snapshots, to find what the whole league is weak at; some begin anew."""
    exploiter_share: float = 1.0
    """Length of an exploiter's turn of training, where a main agent's is 1."""
    exploiter_turns: int = 2
    """After so many turns an exploiter's snapshot joins the league even if it does not yet beat all it should."""
    teachers_learn: bool = False
    """Main agents learn from an exploiter's games against them, too, and not the exploiter alone."""
    seats: Seats = "shared"
    """One network for all seats, or one for each."""
    gate: Gate = "none"
    """What a main agent's snapshot has to show against its predecessor to join: nothing, a score, or in an SPRT."""
    gate_score: float = 0.55
    """The score that the gate asks for, above 0, up to 1."""
    gate_games: int = 400
    """Games at the gate, at most; who has not passed an SPRT by then is refused."""
    gate_elo0: float = 0.0
    """The Elo difference that an SPRT refuses."""
    gate_elo1: float = 50.0
    """The Elo difference that an SPRT lets in."""
    gate_tries: int = 10
    """After so many refusals in a row the training stops and says so; 0: it never does."""
    earlier_met: int = 2
    """How many earlier snapshots a new one is measured against, for ratings (psro: all)."""

    def __post_init__(self) -> None:
        self._check_shares()
        for name, choice in (
            ("matchmaker", Matchmaker),
            ("pfsp_weighting", Weighting),
            ("meta_strategy", MetaStrategy),
            ("seats", Seats),
            ("gate", Gate),
        ):
            if getattr(self, name) not in get_args(choice):
                known = ", ".join(get_args(choice))
                raise UsageError(f"unknown {name.replace('_', ' ')} {getattr(self, name)!r}; known: {known}")
        if self.main_agents < 1:
            raise UsageError(f"main_agents={self.main_agents}: a league needs a learner, so 1 at least")
        require_at_least(self, 1, "opponents", "pool_window", "exploiter_turns")
        require_at_least(self, 0, "main_exploiters", "league_exploiters", "gate_tries", "earlier_met")
        require_above(self, 0, "exploiter_share", "payoff_decay", "gate_score")
        require_between(self, 0, 1, "payoff_decay", "gate_score")
        require_even_games(self.gate_games, "gate_games")
        if self.gate_elo0 >= self.gate_elo1:
            raise UsageError(f"gate_elo0={self.gate_elo0:g} is not below gate_elo1={self.gate_elo1:g}")
        if self.num_exploiters and not self.pool + self.verification:
            raise UsageError("exploiters teach nobody if main agents meet no snapshots: raise pool or verification")

    def _check_shares(self) -> None:
        shares = {"self_play": self.self_play, "pool": self.pool}
        if self.verification:
            shares["verification"] = self.verification
        total = sum(shares.values())
        if min(shares.values()) < 0 or total > 1 + 1e-9:
            *most, last = [f"{name}={share}" for name, share in shares.items()]
            raise UsageError(f"{', '.join(most)} and {last} are shares: at least 0, together at most 1")
        if 1 - total > 1e-9 and not self.references:
            raise UsageError(
                f"a share of {1 - total:.2g} of the games has no opponent: name references, or raise self_play"
            )

    @property
    def num_exploiters(self) -> int:
        """Exploiters of both kinds."""
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
"""Leagues by name: 80 % itself and 20 % its past; itself alone; half PFSP; AlphaStar's roles and shares."""


@dataclass(frozen=True)
class RunConfig(RunOptions):
    """How long and where to train, and how to watch over it."""

    steps: int = 1_500_000
    """Moves to be played, by all learners together."""
    snapshots: int = 20
    """Turns of each learner, at equal distances; each ends with a checkpoint, which may join the pool."""
    boards: int = 512
    """Games played at the same time."""
    moves: int = 32
    """Moves on each board between two updates (on-policy algorithms)."""
    openings: int = 0
    """Random moves that a game of training begins with at most: 0 to so many, any number as likely."""
    evaluation: tuple[str, ...] = EVALUATION
    """Agents that every snapshot is measured against, in games of their own; references are added to them."""
    evaluation_games: int = 100
    """Games of each measurement, as many in every seat."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 1, "boards", "moves")
        require_at_least(self, 0, "openings")
        require_even_games(self.evaluation_games)


def usual_league(algorithm: "Algorithm | None") -> LeagueName:
    """The name of the league that an algorithm trains in if nobody says otherwise."""
    return "naive" if algorithm is not None and algorithm.self_play else "past"
