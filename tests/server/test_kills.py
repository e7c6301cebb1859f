"""A server, its database and workers are killed at random moments, cables are cut: the ladder is the same."""

import subprocess

import pytest

from scripts.network_namespaces import HUB, Network
from scripts.server_kills import play

pytestmark = pytest.mark.full


@pytest.mark.slow("kills it again and again")
def test_kills_change_nothing(tmp_path, postgres):
    expected, _ = play(tmp_path / "alone", 12, 1)
    games, counts = play(tmp_path / "killed", 12, 2, kills=4, seed=2, database=postgres)
    assert counts.total() == 4
    assert games == expected
    assert len(games) == 24


def test_a_cut_cable_loses_what_is_sent_until_it_is_mended(tmp_path):
    try:
        network = Network(2)
    except RuntimeError as error:
        pytest.skip(str(error))
    with (
        network,
        subprocess.Popen(
            network.at(0, ["python3", "-m", "http.server", "8000", "--directory", str(tmp_path)]),
            stderr=subprocess.DEVNULL,
        ) as server,
    ):
        assert _answers(network, 1, tries=50)
        assert _answers(network, 2)
        network.cut(1)
        assert not _answers(network, 1)
        assert _answers(network, 2)
        network.mend(1)
        assert _answers(network, 1, tries=5)
        server.kill()


def _answers(network: Network, place: int, tries: int = 1) -> bool:
    ask = f"import urllib.request; urllib.request.urlopen('http://{HUB}:8000', timeout=0.5)"
    done = (
        subprocess.run(network.at(place, ["python3", "-c", ask]), stderr=subprocess.DEVNULL, check=False)
        for _ in range(tries)
    )
    return any(each.returncode == 0 for each in done)
