"""Hosted games: environments that somebody else wrote, as games like ours."""

HOSTS = {
    "openspiel": "arena.env.hosted.openspiel:HOST",
    "pettingzoo": "arena.env.hosted.pettingzoo:HOST",
}
"""The hosts of this distribution: name -> reference to its `arena.env.hosted.host.Host`."""
