"""A small ladder of three bots, and what it has become."""

from arena.store import MatchFilter


def filled(site, **rules):
    site.account("ann", "owner")
    ladder = site.ladder(ahead=4, seed=7, **rules)
    site.bots(ladder, "ann", ply="one-ply", dice="random", two="alphabeta:2")
    return site.account("bob", "worker")


def games(site):
    """The games of a ladder in order of number."""
    stored = sorted(site.store.matches(MatchFilter(), limit=500), key=lambda one: one.number)
    assert [one.number for one in stored] == sorted({one.number for one in stored})
    return [one.record for one in stored]


def standings(site):
    return site.client.get("/api/v1/ladders/small/standings").json()
