"""Self-play on a Ray cluster: the same games, and a node that is killed costs only repeated work."""

import pytest

from tests.on_ray import run_to_its_end

pytestmark = pytest.mark.full

pytest.importorskip("ray")


def test_games_are_those_of_one_process_though_a_node_is_killed(tmp_path):
    from tests.league.workers import on_ray

    run_to_its_end(on_ray, tmp_path)
