"""How the games of a tournament ended that their own rules did not end: counts of what adjudicated them."""

from collections import Counter
from collections.abc import Iterable, Mapping

from arena.match.verdict import MatchRecord, Reason


def adjudications(records: Iterable[MatchRecord]) -> dict[str, int]:
    """Return the number of adjudicated games by what decided them, the most frequent first."""
    details = (record.verdict.detail for record in records if record.verdict.reason is Reason.ADJUDICATED)
    return dict(Counter(details).most_common())


def in_words(counts: Mapping[str, int]) -> str:
    """Return the counts in a sentence.

    >>> in_words({"resign by score": 3, "maximum length": 1})
    '4 games were adjudicated: 3 resign by score, 1 maximum length.'
    """
    total = sum(counts.values())
    games = "1 game was" if total == 1 else f"{total:,} games were"
    return f"{games} adjudicated: {', '.join(f'{count:,} {detail}' for detail, count in counts.items())}."
