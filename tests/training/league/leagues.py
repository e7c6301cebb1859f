"""A small league written by hand: three learners, a cycle among their members, one who was never measured."""

from arena.training.league.payoff import Payoff
from arena.training.league.ratings import rate_members
from arena.training.league.records import League, Learner, Member, Rated

NAMES = ("main-0001", "main-0002", "main-exploiter-0001", "main-exploiter-0002", "random")
WINS = {(0, 1): 10, (1, 2): 10, (2, 0): 38, (0, 4): 40, (1, 4): 40, (3, 1): 24, (3, 4): 36}
"""Of 40 games; the rest was lost. The first exploiter beats the old main agent, the new main agent both."""


def member(name: str, step: int, parent: str | None) -> Member:
    """A member of the league."""
    learner = name.rpartition("-")[0]
    role = "main exploiter" if "exploiter" in learner else "main"
    return Member(name, role, learner, int(name[-4:]), step, parent, f"{learner}/{name}", "0" * 64)


def league() -> League:
    """The league; the learner `league-exploiter` has no members yet."""
    evaluation, training = Payoff(), Payoff()
    for (player, opponent), wins in WINS.items():
        evaluation.add(NAMES[player], NAMES[opponent], wins, 0, 40 - wins)
    training.add("main", "main-0001", 3, 1, 0)
    made = League(
        "connect_four",
        {},
        "ppo",
        ["random"],
        [
            Learner("main", "main", turns=2, step=2000),
            Learner("main-exploiter", "main exploiter", turns=3, step=3000, resets=1),
            Learner("league-exploiter", "league exploiter"),
        ],
        [
            member("main-0001", 1000, None),
            member("main-exploiter-0001", 2000, None),
            member("main-0002", 3000, "main-0001"),
            member("main-exploiter-0002", 4000, None),
            member("main-exploiter-0003", 5000, "main-exploiter-0002"),
        ],
        5000,
        training,
        evaluation,
    )
    made.ratings = rate_members(evaluation, list(NAMES), "random")
    made.history = [Rated(one.step, one.learner, one.name, *made.ratings.get(one.name, (0, 0))) for one in made.members]
    made.next_opponents = {"main": {"main": 0.35, "main-0001": 0.5, "main-exploiter-0002": 0.15}}
    return made
