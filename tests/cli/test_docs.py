"""`arena docs`: the page on a topic, or the text where no site is built."""

import contextlib
import webbrowser

import pytest

from arena.cli import docs, explained
from arena.cli.main import main


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A site of five pages."""
    names = ("index", "how-to/resume", "reference/command/train", "reference/game/hex", "reference/agent/ppo")
    for name in names:
        file = tmp_path / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    monkeypatch.setattr(docs, "SITE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("topic", "page"),
    [("", "index"), ("resume", "how-to/resume"), ("train", "reference/command/train"), ("ppo", "reference/agent/ppo")],
)
def test_the_page_on_a_topic_is_opened(topic, page, site, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs", *[topic] * bool(topic)]) == 0
    assert opened == [(site / f"{page}.html").as_uri()] == capsys.readouterr().out.split()


def test_an_address_alone_opens_nothing(site, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", pytest.fail)
    assert main(["docs", "hex", "--address"]) == 0
    assert capsys.readouterr().out.strip().endswith("reference/game/hex.html")


def test_an_unknown_topic_is_refused(site, capsys):
    assert main(["docs", "hax"]) == 2
    assert capsys.readouterr().err.splitlines() == ["arena: unknown topic 'hax'; did you mean 'hex'?"]


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("", "arena COMMAND"),
        ("train", "usage: arena train"),
        ("hex", "Two stones"),
        ("ppo", "ppo:DIR   proximal"),
        ("engines", "# Engines and programs"),
    ],
)
def test_without_a_site_the_program_speaks(topic, text, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(docs, "SITE", tmp_path)
    with contextlib.suppress(SystemExit):  # of --help
        main(["docs", *[topic] * bool(topic)])
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "page"),
    [
        (["tournament", "connect_four", "random", "llm:http://localhost:1"], "language-models"),
        (["tournament", "connect_four", "random", "uci:stockfish"], "engines"),
        (["games", "pettingzoo:no_such_package"], "hosted-games"),
    ],
)
def test_a_refusal_names_the_page_on_what_refused(words, page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f" (more: arena docs {page})")
    monkeypatch.setattr(explained, "CHECKOUT", tmp_path)  # as where it was installed from a wheel
    assert main(words) == 2
    assert capsys.readouterr().err == line.replace(f" (more: arena docs {page})", "\n")
