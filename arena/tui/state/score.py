"""The score of a series in the words that fit its game: points, chips, or what a team earns."""

from arena.base.counting import counted
from arena.tui.state.series import Series
from arena.tui.state.words import points, standings
from games.engine.game import Game


def score_words(game: Game, series: Series) -> str:
    """Return the score of a series: `1½ – ½`; a balance in games for chips; the mean where nobody wins."""
    returns = series.returns_of(0)
    if game.stakes is not None and returns:
        balance = f"{series.names[0]} {game.stakes.in_words(sum(returns))}"
        return f"{balance}, {game.stakes.per_hand(returns)} after {counted(len(returns), 'hand')}"
    if not game.competitive and returns:
        who = "the team" if game.num_players > 1 else series.names[0]
        mean, total = sum(returns) / len(returns), sum(returns)
        return f"{who} earns {mean:.3g} a game, {total:g} in {counted(len(returns), 'game')}"
    return standings(series.score)


def score_of(game: Game, series: Series, contestant: int) -> str:
    """Return the score beside the name of a contestant: points, its balance in chips, or what was earned."""
    total = sum(series.returns_of(contestant))
    if game.stakes is not None:
        return f"{total * game.stakes.chips:+z.6g}" if total else "0"
    return points(series.score[contestant]) if game.competitive else f"{total:g}"
