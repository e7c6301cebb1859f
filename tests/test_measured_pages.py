"""Tables of docs/measured: what stands there is what scripts have kept."""

import measured_pages
import pytest
from benchmarks.kept import read
from benchmarks.measure import Row
from handbook import graphs, learned, speed
from kept_rows import keep


@pytest.mark.parametrize(("page", "part"), measured_pages.PARTS)
def test_the_tables_of_a_page_are_those_of_the_rows(page, part):
    assert (measured_pages.MEASURED / page).read_text(encoding="utf-8") == measured_pages.with_tables(page, part)


def row(section, work, ours=2e6, peer=1e3):
    return Row(section, work, ours, peer, "them", ours / peer if peer else None, "moves/s")


def test_a_section_measured_again_takes_the_place_of_its_rows(tmp_path):
    path = tmp_path / "speed.csv"
    for section, works in (("a", "12"), ("b", "3"), ("a", "4")):
        keep(path, section, [row(section, work) for work in works])
    assert [(one.section, one.work) for one in read(path)] == [("a", "4"), ("b", "3")]


def test_rows_come_back_as_they_were(tmp_path):
    path = tmp_path / "speed.csv"
    keep(path, "a", [row("a", "with, a comma"), row("a", "alone", peer=None)])
    first, second = read(path)
    assert (first.work, first.ours, first.peer, first.ratio) == ("with, a comma", 2e6, 1e3, 2e3)
    assert (second.peer, second.ratio) == (None, None)


def test_a_table_gives_figures_with_units(tmp_path):
    path = tmp_path / "speed.csv"
    keep(path, "a", [row("a", "steps"), Row("a", "start", 0.02, 0.5, "them", 25.0, "s")])
    assert speed.plain_table(read(path)).splitlines()[2:] == [
        "| steps | 2 M moves/s | them: 1 k moves/s | 2,000 x |",
        "| start | 20 ms | them: 0.5 s | 25 x |",
    ]


def test_an_algorithm_with_a_curve_has_a_picture():
    task, picture = learned.curve("a2c")
    assert task == "connect_four"
    assert picture.startswith(b"\x89PNG")
    assert learned.curve("random") is None


def test_a_graph_is_drawn_with_every_arrow_leading_down():
    places = graphs._places({"top": ["a", "b"], "a": ["low"], "b": [], "low": []})
    assert [places[name][1] for name in ("top", "a", "b", "low")] == [2, 1, 0, 0]
    assert graphs.picture("graph TD\n    top\n    a\n    top --> a").startswith(b"\x89PNG")
