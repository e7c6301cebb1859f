"""The table that fits a game: ratings, or what teams earn where nobody wins."""

from collections.abc import Sequence

from arena.match.verdict import MatchRecord
from arena.tournament.standings import Standings, table_of
from arena.tournament.tally import Played, Tallies
from arena.tournament.teams import Teams, teams_of
from games.engine.game import Game


def table_for(game: Game, played: Played, anchor: str | None = None) -> Standings | Teams:
    """Return the table of games; `anchor` is as in `table_of`, and of no effect where nobody wins."""
    return table_of(played, anchor, stakes=game.stakes) if game.competitive else teams_of(played)


def table_from(
    game: Game, names: Sequence[str], records: Sequence[MatchRecord], anchor: str | None = None
) -> Standings | Teams:
    """Return the table of players `names` from the records of a game."""
    tallies = Tallies(names, game.num_players, game.has_chance)
    tallies.add(records)
    return table_for(game, tallies.played, anchor)
