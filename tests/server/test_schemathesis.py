"""The API answers as its schema says to whatever is sent, on every route, with an owner's key: by schemathesis."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.server.playing import filled

pytestmark = pytest.mark.full


@pytest.mark.slow("makes up hundreds of requests")
@pytest.mark.parametrize("mode", schemathesis.GenerationMode, ids=lambda mode: mode.value)
def test_every_route_keeps_its_schema(start, mode):
    site = start(hosts=("testserver",))
    filled(site)
    boss = site.account("boss", "owner")
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", site.client.app)
    headers = {"Authorization": f"Bearer {boss.key}"}
    routes = 0
    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in sorted(operations, key=lambda one: (one.method, one.path) == ("delete", "/api/v1/me")):
        if mode is schemathesis.GenerationMode.NEGATIVE and not (operation.body or operation.path_parameters):
            continue
        routes += 1

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(max_examples=20, suppress_health_check=list(HealthCheck), deadline=None)
        def answers_as_it_says(case):
            # what a game or an agent is called no schema can say: such requests are refused though they keep to it
            case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

        answers_as_it_says()
    assert routes > 15
