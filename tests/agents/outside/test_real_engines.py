"""Chess engines of Debian as agents: each wins against random moves, by the rules and within its clock."""

from contextlib import closing

import pytest

import games
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents.outside.programs import require_program

pytestmark = pytest.mark.full


@pytest.mark.slow("plays whole games with real engines")
@pytest.mark.parametrize(
    ("program", "spec"),
    [("toga2", "uci:{}"), ("gnuchess", "uci:{} --uci"), ("fairymax", "xboard:{}"), ("phalanx", "xboard:{}")],
)
def test_an_engine_beats_a_random_mover_and_says_so(program, spec):
    values = values_of_a_victory(spec.format(require_program(program)))
    assert next(value for value in reversed(values) if value is not None) > 0.9, values


@pytest.mark.slow("plays a whole game with a real engine")
def test_an_engine_beats_a_random_mover_in_the_first_version_of_the_protocol():
    values_of_a_victory(f"xboard:{require_program('gnuchess')}")


def values_of_a_victory(spec):
    """Let an engine win against random moves; return what it expected at each of its own."""
    rules = games.make("chess")
    with closing(make_agent(spec, rules)) as agent:
        players = [("engine", agent), ("random", make_agent("random", rules))]
        match, values = Match(rules, players, seed=1, limits=Limits(clock="10+0.2")), []
        while not match.over:
            seat, answer = match.seat, match.advance()
            if seat == 0:
                values.append(answer.value)
    assert (match.verdict.reason, match.verdict.returns) == (Reason.FINISHED, (1.0, -1.0))
    return values
