"""Hosted games: environments that somebody else wrote, as games like ours."""

HOSTS = {
    "openspiel": "arena.env.hosted.openspiel:describe",
    "pettingzoo": "arena.env.hosted.pettingzoo:describe",
}
"""The hosts of this distribution: name -> function that describes a game by its name and options."""
