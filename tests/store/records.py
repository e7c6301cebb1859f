"""Match records for the tests of the store, as quick to make as to compare."""

import random

from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit

GAME = "connect_four(rows=6, columns=7, k=4)"
OTHER_GAME = "chess()"


def record(seed: int, players: tuple[str, ...] = ("ada", "bob"), game: str = GAME, length: int = 20) -> MatchRecord:
    """A match that looks like one of connect four, another for every seed; every tenth is lost by a fault."""
    rng = random.Random(seed)
    actions = tuple(rng.randrange(7) for _ in range(length))
    verdict = Verdict(rng.choice([(1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)]))
    if seed % 10 == 9:
        verdict = forfeit(2, seed // 10 % 2, Reason.CRASHED, "ValueError: 'é' of its own")
    return MatchRecord(game, players, seed, actions[:4], actions, verdict)


def schedule(count: int, start: int = 0) -> list[tuple[int, MatchRecord]]:
    """The first matches of a run, by number: ada and bob change sides in every pair."""
    sides = (("ada", "bob"), ("bob", "ada"))
    return [(number, record(number, sides[number % 2])) for number in range(start, start + count)]
