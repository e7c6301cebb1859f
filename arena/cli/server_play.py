"""`arena play URL`: a game against somebody at another machine, or against a bot of a ladder."""

from typing import TYPE_CHECKING

from arena.base.errors import UsageError
from arena.base.extras import extra_imported
from arena.cli.server_matches import only_ladder
from arena.match.by_moves import PolicyByMoves
from arena.match.limits import Limits
from arena.match.replay import game_labelled
from arena.tui.parts.sitting import PlayOptions
from arena.tui.services.match_recorder import MatchRecorder

if TYPE_CHECKING:
    from arena.server.live_player import LivePlayer
    from arena.server.models import LiveGameShown


def play_over_server(address: str, opponent: dict[str, str], seat: int, clock: str | None, store: str) -> int:
    """Challenge an `opponent` or `bot`, wait until they accept, show the game, and return the exit status.

    Raises `UsageError` before anybody is challenged if there is no terminal or the options are wrong.
    """
    from arena.tui.app import require_terminal

    if seat not in (1, 2):
        raise UsageError(f"--seat {seat} is not a seat; seats are 1 and 2")
    require_terminal()
    player, live = _challenge(address, opponent, seat, clock)
    if not _accepted(player, address):
        return 130
    status = _show(player, live, store)
    if player.state == "playing":
        [(kind, name)] = opponent.items()
        words = name if kind == "bot" else f"--with {name}"
        print(f"The game goes on, with its clocks; arena play {address} {words} brings you back.")
    return status


def _challenge(
    address: str, opponent: dict[str, str], seat: int, clock: str | None
) -> tuple["LivePlayer", "LiveGameShown"]:
    with extra_imported("play", "server"):
        from arena.server.client import Client, split_address
        from arena.server.live_player import LivePlayer
        from arena.server.models import AccountShown, LiveGameShown
    url, ladder = split_address(address)
    client = Client.of_environment(url)
    name = client.read("/me", AccountShown).name
    wanted = opponent | {"seat": seat, "clock": clock}
    live = client.send(f"/ladders/{ladder or only_ladder(client)}/live", wanted, LiveGameShown)
    require_playable(live, url)
    return LivePlayer(client, live, name), live


def require_playable(live: "LiveGameShown", url: str) -> None:
    """Raise `UsageError` for a game that is not installed, or whose moves break its rules: no server is believed."""
    from arena.server.live_feed import checked_game

    try:
        checked_game(live)
    except UsageError as error:
        raise UsageError(f"{url}, live game {live.id}: {error}") from None


def _accepted(player: "LivePlayer", address: str) -> bool:
    """Wait until the challenge is accepted; return False if it was taken back by Ctrl-C."""
    from arena.server.live_player import wait_for

    if player.state == "playing":
        return True
    print(f"Challenged {player.name}, who accepts by: arena play {address} --with {player.own_name}", flush=True)
    print("Ctrl-C takes the challenge back.", flush=True)
    try:
        wait_for(player)
    except KeyboardInterrupt:
        player.take_back()
        print("The challenge is taken back.")
        return False
    return True


def _show(player: "LivePlayer", live: "LiveGameShown", store: str) -> int:
    """Show the game until the user leaves; return the exit status."""
    from arena.tui.app import launch
    from arena.tui.screens.play import PlayScreen

    limits = Limits(clock=live.clock)
    recorder = MatchRecorder(store, limits)
    terms = PlayOptions(player.seat, control=limits.control, hands=1, recorder=recorder, remote=player)
    try:
        return launch(PlayScreen(game_labelled(live.game), [(player.name, PolicyByMoves(player))], terms))
    finally:
        recorder.finish()
