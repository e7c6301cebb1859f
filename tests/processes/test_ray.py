"""Workers on a Ray cluster: who dies is counted, and what it was at is done again."""

import pytest

from tests.on_ray import run_to_its_end

pytestmark = pytest.mark.full

pytest.importorskip("ray")


def test_a_job_is_done_again_whose_worker_dies_and_given_up_in_the_end(tmp_path):
    from tests.processes import on_ray

    run_to_its_end(on_ray, tmp_path)
