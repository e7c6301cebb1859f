"""mctx on the CPU, in a process of its own: python search_mctx.py METHOD BOARDS SIMULATIONS HIDDEN.

Each input line is a round: one search of BOARDS Connect Four boards (pgx's), each from its start, by PUCT or by
Gumbel's halving, guided by a perceptron of HIDDEN units. Prints the simulations done.
"""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import mctx
import pgx


def main(method, boards, simulations, hidden):
    env = pgx.make("connect_four")
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), boards))
    size, actions = state.observation[0].size, env.num_actions
    keys = jax.random.split(jax.random.PRNGKey(1), 3)
    first = jax.random.normal(keys[0], (size, hidden)) / size**0.5
    heads = jax.random.normal(keys[1], (hidden, actions + 1)) / hidden**0.5

    def network(observation):
        outputs = jnp.maximum(observation.reshape(len(observation), -1).astype(jnp.float32) @ first, 0.0) @ heads
        return outputs[:, :actions], jnp.tanh(outputs[:, actions])

    def recurrent(_, __, action, state):
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = network(state.observation)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        reward = state.rewards[jnp.arange(boards), mover]
        over = state.terminated
        value = jnp.where(over, 0.0, value)
        discount = jnp.where(over, 0.0, -1.0)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

    @jax.jit
    def search(key):
        logits, value = network(state.observation)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        given = {"num_simulations": simulations, "invalid_actions": ~state.legal_action_mask}
        if method == "gumbel":
            return mctx.gumbel_muzero_policy((), key, root, recurrent, max_num_considered_actions=16, **given).action
        return mctx.muzero_policy((), key, root, recurrent, dirichlet_fraction=0.0, **given).action

    key = jax.random.PRNGKey(2)
    jax.block_until_ready(search(key))
    for _ in sys.stdin:
        key, now = jax.random.split(key)
        jax.block_until_ready(search(now))
        print(boards * simulations, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
