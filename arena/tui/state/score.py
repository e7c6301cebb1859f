"""The score of a series in the words that fit its game: points, chips, or what a team earns."""

from arena.tui.state.counting import counted
from arena.tui.state.series import Series
from arena.tui.state.words import points, standings
from games.engine.game import Game


def score_words(game: Game, series: Series) -> str:
    """Return the score of a series: `1½ – ½`; the first contestant's balance in games for chips; a team's mean."""
    earned = series.earned(0)
    if game.stakes is not None and earned:
        balance = f"{series.names[0]} {game.stakes.in_words(sum(earned))}"
        return f"{balance}, {game.stakes.per_hand(earned)} after {counted(len(earned), 'hand')}"
    if game.cooperative and earned:
        return (
            f"the team earns {sum(earned) / len(earned):.3g} a game, {sum(earned):g} in {counted(len(earned), 'game')}"
        )
    return standings(series.score)


def score_of(game: Game, series: Series, contestant: int) -> str:
    """Return the score beside the name of a contestant: points, its balance in chips, or what its team earned."""
    earned = sum(series.earned(contestant))
    if game.stakes is not None:
        return f"{earned * game.stakes.chips:+z.6g}" if earned else "0"
    return f"{earned:g}" if game.cooperative else points(series.score[contestant])
