"""`arena submit`: enter a bot on a ladder server."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from arena.base.extras import extra_imported

ASK_S = 1.0


@dataclass(frozen=True)
class Options:
    """Enter a bot on a ladder of a server, or a new version of your bot.

    A bot is the spec of an agent that reads no files, as mcts:400, or a folder with a file bot.toml of one line:
    command = "python3 bot.py" for a program (agents/outside/PROTOCOL.md), or agent = "ppo:{folder}" for a snapshot.
    A second line, build = "make", has the program of command = "./engine" made from its sources where it plays.
    It first meets random, and plays on the ladder if it breaks no rule. The environment variable ARENA_KEY holds your
    key.
    """

    url: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="URL")]
    """Address of the server: https://arena.example.org."""
    bot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="DIR|SPEC")]
    """Folder of a bundle, or spec of an agent."""
    ladder: Annotated[str, tyro.conf.arg(metavar="NAME")]
    """Ladder that it enters."""
    name: str
    """Name of the bot."""
    wait: bool = False
    """Wait until it has qualified or was rejected; the exit status is 1 then."""


def run(options: Options) -> int:
    """Submit, and wait if asked to; return the exit status."""
    with extra_imported("submit", "server"):
        from arena.server.bundles import pack
        from arena.server.client import Client
    client = Client.of_environment(options.url)
    wanted: dict[str, Any] = {"name": options.name}
    if Path(options.bot).is_dir():
        bundle = pack(Path(options.bot))
        client.put(f"/bundles/{bundle.digest}", bundle.content)
        wanted["bundle"] = bundle.digest
    else:
        wanted["agent"] = options.bot
    bot = client.post(f"/ladders/{options.ladder}/bots", wanted)
    print(f"{bot['player']} is bot {bot['id']}; it plays once it has met random.")
    while options.wait and bot["state"] == "qualifying":
        time.sleep(ASK_S)
        bot = client.get(f"/bots/{bot['id']}")
    if options.wait:
        print(f"{bot['player']} is {bot['state']}{': ' if bot['reason'] else ''}{bot['reason']}.")
    return int(bot["state"] == "rejected")
