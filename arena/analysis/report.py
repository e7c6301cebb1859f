"""An analysis as a table, as JSON and as a picture."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from arena.analysis.analysis import Analysis, JudgedPositions, Phase
from arena.base.saving import write_whole

COLOURS = ("#08519c", "#b35806", "#7fb3d9", "#f4a64a", "#555555", "#54278f")


def as_table(judged: JudgedPositions, analyses: Sequence[Analysis]) -> Table:
    """Return a table with a row for each agent and phase: the share of moves that keep the position's value."""
    table = Table(title=f"{judged.game.label}: moves that keep the value, by {judged.judge}")
    for name in ("agent", "plies"):
        table.add_column(name)
    for name in ("positions", "kept", "95 %", "deciding", "kept there", "regret", "by chance"):
        table.add_column(name, justify="right")
    for analysis in analyses:
        for phase in analysis.phases:
            table.add_row(analysis.agent, *_cells(phase))
        table.add_row(analysis.agent, "all", *_cells(analysis.total)[1:], style="bold", end_section=True)
    return table


def _cells(phase: Phase) -> list[str]:
    low, high = phase.interval
    there = f"{phase.kept_deciding / phase.deciding:.1%}" if phase.deciding else "-"
    return [
        f"{phase.first_ply}-{phase.last_ply}",
        f"{phase.positions}",
        f"{phase.share:.1%}",
        f"{low:.1%} - {high:.1%}",
        f"{phase.deciding}",
        there,
        f"{phase.regret:.3f}",
        f"{phase.by_chance:.1%}",
    ]


def remarks(judged: JudgedPositions, analyses: Sequence[Analysis]) -> list[str]:
    """Return notes on positions left out and on answers that were no legal move."""
    lines = []
    if judged.left_out:
        lines.append(f"Left out: {judged.left_out} positions drawn whose moves {judged.judge} does not know all.")
    lines += [
        f"{one.agent} gave no legal move in {one.failures} positions ({_kinds(one)}); these count as moves that lose."
        for one in analyses
        if one.failures
    ]
    return lines


def _kinds(analysis: Analysis) -> str:
    """Return the kinds of failures with their numbers, the most frequent first."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(analysis.kinds.items(), key=lambda one: -one[1]))


def to_json(judged: JudgedPositions, analyses: Sequence[Analysis]) -> str:
    """Return the whole analysis as JSON."""
    content = {
        "game": judged.game.label,
        "judge": judged.judge,
        "positions": len(judged.lines),
        "seed": judged.seed,
        "left_out": judged.left_out,
        "agents": [
            {
                "agent": one.agent,
                "failures": one.failures,
                "failures_by_kind": dict(one.kinds),
                **({} if one.answers is None else {"answers": one.answers.to_json()}),
                "total": _plain(one.total),
                "phases": [_plain(phase) for phase in one.phases],
            }
            for one in analyses
        ],
    }
    return json.dumps(content, indent=2)


def _plain(phase: Phase) -> dict[str, object]:
    return dataclasses.asdict(phase) | {"share": phase.share, "interval": phase.interval}


def save_picture(judged: JudgedPositions, analyses: Sequence[Analysis], path: Path) -> None:
    """Write a PNG: the share of moves that keep the value, by ply, with 95 % intervals.

    Raises `UsageError` if it cannot be written.
    """
    from matplotlib.figure import Figure  # takes half a second; drawn on no screen, whatever the backend

    figure = Figure(figsize=(6.4, 3.6), dpi=160, layout="constrained")
    axes = figure.add_subplot()
    for number, one in enumerate(analyses):
        middles = [(phase.first_ply + phase.last_ply) / 2 + 0.15 * number for phase in one.phases]
        shares = [phase.share for phase in one.phases]
        lows, highs = ([phase.interval[end] for phase in one.phases] for end in (0, 1))
        errors = [
            [share - low for share, low in zip(shares, lows, strict=True)],
            [high - share for share, high in zip(shares, highs, strict=True)],
        ]
        label = f"{one.agent}: {one.total.share:.1%}"
        axes.errorbar(middles, shares, yerr=errors, fmt="o-", capsize=3, color=COLOURS[number % 6], label=label)
    by_chance = analyses[0].phases
    middles = [(phase.first_ply + phase.last_ply) / 2 for phase in by_chance]
    axes.plot(middles, [phase.by_chance for phase in by_chance], ":", color="#999999", label="any legal move")
    axes.set_xlabel("moves made before")
    axes.set_ylabel("moves that keep the value")
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_title(f"{judged.game.label}, {len(judged.lines)} positions, by {judged.judge}", fontsize=9)
    axes.grid(axis="y", color="#ececec")
    axes.legend(fontsize=8)
    write_whole(path, figure.savefig)
