"""What became of the answers of players that think in words, summed over the games of a tournament."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.match.transcripts import unpack
from arena.match.verdict import MatchRecord
from arena.policy.transcript import OUTCOMES, AnswerCounts, Transcript, counted


@dataclass(frozen=True)
class PlayerAnswers:
    """The answers of one player."""

    agent: str
    counts: AnswerCounts

    def to_json(self) -> dict[str, Any]:
        """Return them as JSON values."""
        return {"agent": self.agent, **self.counts.to_json()}


def answers_of(records: Iterable[MatchRecord]) -> tuple[PlayerAnswers, ...]:
    """Return the answers by player, as far as records have them, in order of appearance."""
    by_agent: dict[str, list[Transcript]] = {}
    for record in records:
        for move in unpack(record.transcripts):
            by_agent.setdefault(record.players[move.seat], []).append(move.transcript.without_texts())
    return tuple(PlayerAnswers(agent, counted(transcripts)) for agent, transcripts in by_agent.items())


def print_answers(players: Sequence[PlayerAnswers], console: Console) -> None:
    """Print a row for each player, if there are any."""
    if not players:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("answers of", overflow="fold")
    for heading in ("moves", *OUTCOMES[1:], "again/move", "tokens in", "out", "s/answer", "sent again", "cost"):
        table.add_column(heading, justify="right")
    for player in players:
        counts = player.counts
        table.add_row(
            Text(player.agent, style="bold"),
            str(counts.moves),
            *(Text(str(counts[one]), style="red" if counts[one] else "") for one in OUTCOMES[1:]),
            f"{counts.further_answers_per_move:.2f}",
            f"{counts.prompt_tokens:,}",
            f"{counts.completion_tokens:,}",
            f"{counts.seconds_per_answer:.2f}",
            str(counts.retries),
            f"{counts.cost:.4f}" if counts.cost else "",
        )
    console.print()
    console.print(table)
