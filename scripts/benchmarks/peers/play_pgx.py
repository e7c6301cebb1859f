"""pgx's random play on the CPU, in a process of its own: python play_pgx.py GAME BOARDS; each input line is a round.

All boards make 20 random legal moves in one compiled call, with observations and masks; games that end are restarted.
Prints moves a round.
"""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental.wrappers import auto_reset

STEPS = 20


def main(name, boards):
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def move(state, key):
        act_key, step_key = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(act_key, logits)
        state = step(state, actions, jax.random.split(step_key, boards))
        return state, state.observation.sum()

    @jax.jit
    def play(state, key):
        return jax.lax.scan(move, state, jax.random.split(key, STEPS))

    state, key = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), boards)), jax.random.PRNGKey(1)
    state, _ = jax.block_until_ready(play(state, key))
    for _ in sys.stdin:
        key, now = jax.random.split(key)
        state, _ = jax.block_until_ready(play(state, now))
        print(STEPS * boards, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
