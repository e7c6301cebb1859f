"""A league with a history, as a training would have kept it."""

from pathlib import Path

from arena.training.league.records import League, Learner, Member, Rated, write_league

STEP = 10_000
HASH = "0" * 64
"""Hash of weights, which no test reads."""


def make_league(folder: Path, members: int = 5) -> League:
    """Members `main-0001` and on, each better than the one before, and an exploiter; `random` for reference."""
    league = League("tic_tac_toe", {"m": 3, "n": 3, "k": 3}, "ppo", ["random"], [])
    league.learners = [Learner("main", "main"), Learner("main-exploiter", "main exploiter")]
    for number in range(1, members + 1):
        parent = f"main-{number - 1:04d}" if number > 1 else None
        add(
            league,
            Member(f"main-{number:04d}", "main", "main", number, STEP * number, parent, f"snapshot-{number:04d}", HASH),
        )
    add(league, Member("main-exploiter-0001", "main exploiter", "main-exploiter", 1, STEP * members, None, "x/1", HASH))
    league.ratings["random"] = (0.0, 0.0)
    league.step = STEP * members
    shares = {"main": 0.5, "main-0002": 0.3, "main-exploiter-0001": 0.2}
    league.next_opponents = {"main": shares, "main-exploiter": {"main": 1.0}}
    folder.mkdir(parents=True, exist_ok=True)
    write_league(folder, league)
    return league


def add(league: League, member: Member) -> None:
    """A member that wins two games of three against those before it, and nine of ten against random."""
    for earlier in league.members[-3:]:
        league.evaluation.add(member.name, earlier.name, 12, 4, 4)
    league.evaluation.add(member.name, "random", 18, 0, 2)
    elo = 300.0 + 100.0 * len(league.members)
    league.members.append(member)
    league.ratings[member.name] = (elo, 50.0)
    league.history.append(Rated(member.step, member.learner, member.name, elo - 10.0, 60.0))
