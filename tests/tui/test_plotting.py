"""Curves in characters."""

import math

import pytest

from arena.tui.drawing.plotting import Curve, plot, short, spark


def text(lines):
    return ["".join(part for part, _ in line) for line in lines]


def test_a_rising_line_goes_from_the_lower_left_to_the_upper_right():
    lines = text(plot([Curve("a", [(0, 0), (10, 1)])], 20, 6))
    assert lines[0].startswith("1 ┤")
    assert lines[-2].startswith("0 ┤")
    assert [row for row, line in enumerate(lines[:-1]) if line[3] != " "] == [4]
    assert [row for row, line in enumerate(lines[:-1]) if line[-1] != " "] == [0]
    assert lines[-1].split() == ["0", "10"]


def test_every_dot_of_a_steep_line_is_joined():
    lines = text(plot([Curve("a", [(0, 0), (0.6, 1), (10, 1)])], 20, 6))
    assert all(any("\u2801" <= sign <= "\u28ff" for sign in line) for line in lines[:-1])


def test_several_curves_carry_letters_in_their_own_look():
    lines = plot([Curve("a", [(0, 0), (1, 0)]), Curve("b", [(0, 1), (1, 1)], "seat-1")], 30, 6)
    assert (lines[0][-1][0][-1], lines[0][-1][1]) == ("B", "seat-1")
    assert (lines[4][-1][0][-1], lines[4][-1][1]) == ("A", "seat-0")


def test_bounds_of_the_axis_may_be_given_and_cut_nothing_off():
    lines = text(plot([Curve("a", [(0, 0.4), (1, 0.6), (2, 5.0)])], 24, 8, low=0, high=1))
    assert lines[0].lstrip().startswith("1 ┤")
    assert lines[-2].lstrip().startswith("0 ┤")


@pytest.mark.parametrize("points", [[], [(0, math.nan)], [(math.inf, 1)]])
def test_nothing_to_show_is_blank(points):
    assert set("".join(text(plot([Curve("a", points)], 30, 5)))) == {" "}


@pytest.mark.parametrize("points", [[(3, 7)], [(0, 0)], [(0, -2), (1, -2)], [(5, 1), (5, 2)], [(0, 1e12), (1, -1e12)]])
@pytest.mark.parametrize("size", [(12, 3), (13, 4), (200, 50)])
def test_every_line_is_as_wide_as_asked(points, size):
    lines = text(plot([Curve("a", points, band=[(x, y - 1, y + 1) for x, y in points])], *size))
    assert (len(lines), {len(line) for line in lines}) == (size[1], {size[0]})
    assert any(sign not in " │┤0123456789.−kMG" for sign in "".join(lines))


def test_many_points_share_a_column_by_their_mean():
    flat = [(i, 1.0 if i % 2 else 0.0) for i in range(10_000)]
    lines = text(plot([Curve("a", flat)], 30, 11, low=0, high=1))
    assert all(line[4:].strip(" │┤") == "" for line in (*lines[:4], *lines[6:10]))


def test_sparks_and_short_figures():
    assert spark([], 5) == ""
    assert spark([2, 2], 5) == "▄▄"
    assert spark([0, math.nan, 7], 5) == "▁█"
    assert [short(x) for x in (1e-4, 999, 10_000, -2e6, 3e9)] == ["0.0001", "999", "10k", "−2M", "3G"]
